using System.Runtime.CompilerServices;
using LoadTesting.Contracts.Stats;

namespace LoadTesting.Contracts;

/// <summary>
/// A rule on a scenario or one of its steps. It is checked on what each reporting interval measured, where anything
/// ended in it, and on the final result, where what never ran does not pass.
/// </summary>
public sealed class Threshold
{
    private Threshold(string expression, int? abortWhenErrorCount, TimeSpan? startCheckAfter)
    {
        if (abortWhenErrorCount < 1)
        {
            throw new ArgumentOutOfRangeException(
                nameof(abortWhenErrorCount), abortWhenErrorCount,
                $"Threshold '{expression}' is to abort after {abortWhenErrorCount} errors; "
                    + "it is at least 1, or null for never.");
        }

        (CheckExpression, AbortWhenErrorCount, StartCheckAfter) = (expression, abortWhenErrorCount, startCheckAfter);
    }

    /// <summary>Empty for a rule on the scenario.</summary>
    public string StepName { get; private init; } = "";

    public Func<StepStats, bool> CheckStep { get; private init; }
    public Func<ScenarioStats, bool> CheckScenario { get; private init; }

    /// <summary>Number of failed checks that stop the test; null for never.</summary>
    public int? AbortWhenErrorCount { get; }

    /// <summary>Intervals that end earlier are not checked; null for at once.</summary>
    public TimeSpan? StartCheckAfter { get; }

    /// <summary>The rule as it is written in the source.</summary>
    internal string CheckExpression { get; }

    /// <param name="checkScenario">True if the scenario is good enough.</param>
    /// <param name="abortWhenErrorCount">Number of failed checks that stop the test; null for never.</param>
    /// <param name="startCheckAfter">Intervals that end earlier are not checked; null for at once.</param>
    /// <param name="expression">The rule in the reports; the compiler gives its source.</param>
    public static Threshold Create(
        Func<ScenarioStats, bool> checkScenario, int? abortWhenErrorCount = null, TimeSpan? startCheckAfter = null,
        [CallerArgumentExpression(nameof(checkScenario))] string expression = "")
    {
        ArgumentNullException.ThrowIfNull(checkScenario);
        return new Threshold(expression, abortWhenErrorCount, startCheckAfter) { CheckScenario = checkScenario };
    }

    /// <param name="stepName">The step.</param>
    /// <param name="checkStep">True if the step is good enough.</param>
    /// <inheritdoc cref="Create(Func{ScenarioStats, bool}, int?, TimeSpan?, string)"/>
    public static Threshold Create(
        string stepName, Func<StepStats, bool> checkStep, int? abortWhenErrorCount = null,
        TimeSpan? startCheckAfter = null,
        [CallerArgumentExpression(nameof(checkStep))] string expression = "")
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(stepName);
        ArgumentNullException.ThrowIfNull(checkStep);
        return new Threshold(expression, abortWhenErrorCount, startCheckAfter)
            { StepName = stepName, CheckStep = checkStep };
    }
}
