"""What can go wrong with a run in a way that a person can mend; every message says how."""


class RunError(ValueError):
    """A run's settings, folder, files or devices do not fit each other."""


class TrainingError(Exception):
    """Training cannot go on."""
