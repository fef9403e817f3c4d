namespace LoadTesting.Core.Results;

/// <summary>What speaks against a run, or a scenario of it, as a baseline.</summary>
/// <param name="Scenario">Full name of the scenario; null when it concerns the whole run.</param>
/// <param name="Field">The member of the result, as it is called in JSON.</param>
/// <param name="Value">What it holds.</param>
/// <param name="Remedy">What to do about it.</param>
public sealed record BaselineRemark(string? Scenario, string Field, string Value, string Remedy)
{
    public override string ToString() => $"{(Scenario is null ? "" : Scenario + ": ")}{Field} is {Value}. {Remedy}";
}
