"""Settings: read once, from files, the environment and flags, each value with where it came from."""

from holdfast.config.key_storage import secret
from holdfast.config.load import Explained, Loaded, explain, load, read
from holdfast.config.setting_names import SETTINGS
from holdfast.config.settings import Settings
from holdfast.config.values import folder

__all__ = ["SETTINGS", "Explained", "Loaded", "Settings", "explain", "folder", "load", "read", "secret"]
