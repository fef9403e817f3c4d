namespace LoadTesting.Tool.Doctor;

/// <param name="Check">What was looked at.</param>
/// <param name="State">The finding.</param>
/// <param name="Found">What was found, with its value.</param>
/// <param name="Fix">What to do about it; null when there is nothing to do.</param>
internal sealed record DoctorLine(string Check, DoctorState State, string Found, string? Fix = null);
