"""Requests to a service over HTTP, and what comes back."""
