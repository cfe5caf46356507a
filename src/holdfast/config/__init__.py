"""Settings: read once, from files, the environment and flags, each value with where it came from."""

from holdfast.config.key_storage import secret
from holdfast.config.keys import SETTINGS
from holdfast.config.loading import Explained, Loaded, explain, load, read
from holdfast.config.settings import Settings
from holdfast.config.values import folder

__all__ = ["SETTINGS", "Explained", "Loaded", "Settings", "explain", "folder", "load", "read", "secret"]
