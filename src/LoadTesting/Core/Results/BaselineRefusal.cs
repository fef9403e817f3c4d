namespace LoadTesting.Core.Results;

/// <summary>Why a run cannot be kept as a baseline.</summary>
/// <param name="Scenario">Full name of the scenario; null when it concerns the whole run.</param>
/// <param name="Field">The member of the result, as it is called in JSON.</param>
/// <param name="Value">What it holds.</param>
/// <param name="WayOut">What to do about it.</param>
public sealed record BaselineRefusal(string? Scenario, string Field, string Value, string WayOut)
{
    /// <summary>The refusal as one line.</summary>
    public override string ToString() => $"{(Scenario is null ? "" : Scenario + ": ")}{Field} is {Value}. {WayOut}";
}
