namespace LoadTesting.Core.Results;

/// <summary>A profile, or a scenario of it, that this run left out.</summary>
/// <param name="Profile">Profile, or the full scenario name when only that scenario was left out.</param>
/// <param name="Reason">Why, in words.</param>
/// <param name="Command">The command or setting that enables it; null when nothing on this machine would.</param>
public sealed record NotExercised(string Profile, string Reason, string? Command);
