"""Handing a letter to the mail server, and what its answer means for the job that does it.

What can be put right (the server is away or busy, its certificate is not trusted, its password is
wrong) makes the job wait and try again, so that no letter is lost while somebody puts it right. No
words of the server or of a library stand in a message: some repeat what they were sent, which may
be the password.
"""

from __future__ import annotations

import logging
import smtplib
import ssl

from django.core.mail import EmailMessage

from csro_web.jobs.kinds import JobLater, JobRefused

MOST_ATTEMPTS = 10
LONGEST_WAIT_SECONDS = 6 * 3600
logger = logging.getLogger(__name__)


def hand_over(letter: EmailMessage, *, attempt: int) -> None:
    """Give the letter to the mail server.

    Raises:
        JobLater: when it may take the letter another time; the waits double.
        JobRefused: when it never will, or after ten attempts.
    """
    try:
        letter.send()
    except OSError as error:  # every SMTPException is one
        words, for_good = _meaning(error)
        if not for_good and attempt >= MOST_ATTEMPTS:
            words, for_good = f"{words}; given up after {attempt} attempts", True
        logger.warning("a letter is %s: %s", "not sent" if for_good else "not sent yet", words)
        if for_good:
            raise JobRefused(words) from error
        wait = min(LONGEST_WAIT_SECONDS, 30 * 2 ** (attempt - 1))
        raise JobLater(words, seconds=wait) from error


def _meaning(error: OSError) -> tuple[str, bool]:
    """What went wrong and what to do, and whether it is in vain to try again."""
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        codes = [code for code, _ in error.recipients.values()]
        for_good = all(code >= 500 for code in codes)
        verb = "refuses" if for_good else "defers"
        return f"the mail server {verb} the recipient ({codes[0]})", for_good
    if isinstance(error, smtplib.SMTPAuthenticationError):
        code = error.smtp_code
        return (
            f"the mail server does not let us sign in ({code}): look at CSRO_EMAIL_PASSWORD and"
            " the user in CSRO_EMAIL_URL"
        ), False
    if isinstance(error, smtplib.SMTPResponseException):
        words = f"the mail server answered {error.smtp_code}"
        if error.smtp_code >= 500 and not isinstance(error, smtplib.SMTPConnectError):
            return f"{words}: look at CSRO_EMAIL_URL and CSRO_EMAIL_FROM", True
        return words, False
    return _without_an_answer(error), False


def _without_an_answer(error: OSError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return (
            f"the mail server's certificate is not trusted ({error.verify_message}), so nothing"
            " was sent to it: use the name that the certificate is for in CSRO_EMAIL_URL, or name"
            " a file with the certificate of its authority in SSL_CERT_FILE"
        )
    if isinstance(error, ssl.SSLError):
        return f"no TLS with the mail server ({error.reason}): look at CSRO_EMAIL_URL"
    if isinstance(error, smtplib.SMTPNotSupportedError):
        return (
            "the mail server does not offer what CSRO_EMAIL_URL asks for (STARTTLS, or signing in),"
            " so nothing was sent to it"
        )
    return f"the mail server: {type(error).__name__}"
