namespace Payments.Service.Configuration;

/// <summary>The configuration has errors; every one of them is listed.</summary>
internal sealed class InvalidSettingsException(IReadOnlyList<string> violations)
    : Exception($"The configuration has {violations.Count} error(s):" + string.Concat(violations.Select(v => $"{Environment.NewLine}  - {v}")))
{
    public IReadOnlyList<string> Violations { get; } = violations;
}
