namespace LoadTesting.Tool;

/// <summary>The exit codes of the tool.</summary>
internal static class ExitCode
{
    public const int Success = 0;

    /// <summary>The tool worked, and found something that has to be put right.</summary>
    public const int Findings = 1;

    /// <summary>The input cannot be used: unknown arguments, a missing file, a file that is not a result.</summary>
    public const int BadInput = 2;

    /// <summary>The tool worked, and the evidence does not suffice for a verdict.</summary>
    public const int Inconclusive = 3;

    /// <summary>The tool was interrupted, as a shell reports Ctrl+C.</summary>
    public const int Interrupted = 130;

    /// <summary>All of them, for people.</summary>
    public static IReadOnlyList<(int Code, string Meaning)> Table { get; } =
    [
        (Success, "Done: every scenario passed, the candidate has not regressed, the baseline is kept."),
        (Findings,
            "Something needs a fix: a scenario failed, a regression, a refused baseline, a run that was killed."),
        (BadInput,
            "The input cannot be used: an unknown name, a missing file, a profile that is not "
                + "available. The message says which."),
        (Inconclusive, "The evidence is too weak for a verdict: measure again on a quieter machine."),
        (Interrupted, "Interrupted: what was measured until then is kept and marked partial."),
    ];
}
