"""The lab of each notebook that the run sheets, the decks and `make present` open."""

LABS = {
    "01": "Explorer",
    "02": "ScalingLab",
    "03": "MaskWorkbench",
    "04": "AlignmentLab",
    "05": "HeadSurgeryLab",
    "06": "CacheStepper",
    "07": "HeadBrowser",
    "08": "LearningLab",
    "09": "MistakeLab",
    "10": "TurningLab",
    "11": "CopyingLab",
}
