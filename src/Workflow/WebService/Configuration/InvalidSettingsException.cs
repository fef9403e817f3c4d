namespace Workflow.WebService.Configuration;

/// <summary>The configuration has errors; every one of them is listed.</summary>
internal sealed class InvalidSettingsException(IReadOnlyList<string> violations)
    : Exception($"The configuration has {violations.Count} error(s):{Environment.NewLine}"
        + string.Join(Environment.NewLine, violations.Select(v => "  - " + v)))
{
    public IReadOnlyList<string> Violations { get; } = violations;
}
