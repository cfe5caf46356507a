"""Every resource of the gateway: one module a group, joined here."""

from holdfast.hosts.gateway.resource import Routes
from holdfast.hosts.gateway.resources import (
    attachments,
    commands,
    events,
    login,
    page_files,
    session_edit,
    session_list,
    session_log,
    status,
)

GROUPS = (status, page_files, login, session_list, session_log, session_edit, attachments, events, commands)


def all_routes() -> Routes:
    """The resources of all groups."""
    return Routes(resource for group in GROUPS for resource in group.RESOURCES)
