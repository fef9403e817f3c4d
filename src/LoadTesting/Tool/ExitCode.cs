namespace LoadTesting.Tool;

/// <summary>What the tool ends with.</summary>
internal static class ExitCode
{
    public const int Success = 0;

    /// <summary>The tool worked, and found something that has to be put right.</summary>
    public const int Findings = 1;

    /// <summary>The input cannot be used: unknown arguments, a missing file, a file that is no result.</summary>
    public const int BadInput = 2;

    /// <summary>The tool worked, and the evidence does not suffice for a verdict.</summary>
    public const int Inconclusive = 3;
}
