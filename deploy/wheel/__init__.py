"""Lectern, the API of a learning-management system, as a program of this package: `lectern` starts it on this machine."""
