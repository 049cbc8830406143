#!/bin/bash
# The hub runs this as the learner: it limits memory, hands out the notebooks and becomes the learner's server.
umask 077                            # what a learner writes is closed to all others
ulimit -d $((CLASS_MEMORY_MB * 1024)) # KB for each process: beyond it, Python raises MemoryError
ulimit -u 512                        # processes and threads; a kernel has about 15 of them
ulimit -c 0

mkdir -p "$HOME/attention" "$JUPYTER_RUNTIME_DIR"
cd "$HOME/attention" || exit 1
# Only what is missing is copied, so a learner's work is never overwritten.
cp -r --no-clobber "$CLASS_COURSE"/{README.md,LICENSE,notebooks} . 2>/dev/null
for name in attention_lib data; do
    [ -e "$name" ] || ln -s "$CLASS_COURSE/$name" .
done
[ -e fresh ] || ln -s "$CLASS_COURSE/notebooks" fresh # the course as it was handed out, to read
exec "$@"
