using LoadTesting.Contracts;
using LoadTesting.Contracts.Stats;

namespace LoadTesting.Running;

/// <summary>A threshold of a scenario, and how often it was missed.</summary>
internal sealed class ThresholdWatch(string scenarioName, Threshold threshold)
{
    private int _errors;
    private string _exception = "";

    public string ScenarioName => scenarioName;

    /// <summary>Checks what an interval measured; gives a reason where that is one error too many.</summary>
    public string Check(ScenarioStats[] interval, TimeSpan until)
    {
        if (until < (threshold.StartCheckAfter ?? TimeSpan.Zero) || Holds(interval.Get(scenarioName)) is not false)
        {
            return null;
        }

        return ++_errors == threshold.AbortWhenErrorCount
            ? $"scenario '{scenarioName}' missed the threshold {threshold.CheckExpression} {_errors} times"
            : null;
    }

    public ThresholdResult Conclude(ScenarioStats final)
    {
        switch (Holds(final))
        {
            case null:
                _exception = threshold.StepName.Length == 0
                    ? "No iteration ended: what was not measured does not pass."
                    : $"Step '{threshold.StepName}' never ran: what was not measured does not pass.";
                _errors++;
                break;
            case false:
                _errors++;
                break;
        }

        return new ThresholdResult
        {
            ScenarioName = scenarioName,
            StepName = threshold.StepName,
            CheckExpression = threshold.CheckExpression,
            ExceptionMsg = _exception,
            ErrorCount = _errors,
            IsFailed = _errors > 0,
        };
    }

    /// <summary>Null if nothing ended.</summary>
    private bool? Holds(ScenarioStats stats)
    {
        try
        {
            if (threshold.CheckScenario is { } check)
            {
                return stats.Ok.Request.Count + stats.Fail.Request.Count > 0 ? check(stats) : null;
            }

            return stats.StepStats.Find(threshold.StepName) is { } step
                && step.Ok.Request.Count + step.Fail.Request.Count > 0
                ? threshold.CheckStep(step)
                : null;
        }
        catch (Exception exception)
        {
            _exception = $"{exception.GetType().Name}: {exception.Message}";
            return false;
        }
    }
}
