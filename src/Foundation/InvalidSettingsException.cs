namespace Foundation;

/// <summary>The configuration has errors. The message lists all of them.</summary>
public sealed class InvalidSettingsException(IReadOnlyList<string> violations)
    : Exception(
        $"The configuration has {violations.Count} error(s):"
            + string.Concat(violations.Select(v => $"{Environment.NewLine}  - {v}")))
{
    public IReadOnlyList<string> Violations { get; } = violations;
}
