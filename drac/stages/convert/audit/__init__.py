"""A page's text compared with what a reader of another kind read on the same page."""

from drac.stages.convert.audit.audit import audit_page
from drac.stages.convert.audit.thresholds import EXACT, NOISY, AuditThresholds

__all__ = ["EXACT", "NOISY", "VERSION", "AuditThresholds", "audit_page"]

VERSION = 2
"""Raised when the same two readings of a page give another audit."""
