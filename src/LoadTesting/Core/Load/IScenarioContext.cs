namespace LoadTesting.Core.Load;

/// <summary>What one iteration gets to see. Valid until the iteration's task has ended; not for use by several threads at once, except
/// <see cref="RecordStep(string, long, long, IResponse)"/>.</summary>
public interface IScenarioContext
{
    /// <summary>The copy that runs.</summary>
    ScenarioInfo ScenarioInfo { get; }

    /// <summary>How often this copy has run, from 1.</summary>
    long InvocationNumber { get; }

    /// <summary>The iteration, from 0, unique within scenario and operation.</summary>
    long IterationNumber { get; }

    /// <summary>When the iteration was to start, as a <see cref="System.Diagnostics.Stopwatch.GetTimestamp"/> value; in a closed model the same as
    /// <see cref="StartTimestamp"/>.</summary>
    long IntendedTimestamp { get; }

    /// <summary>When it did start, on the same clock.</summary>
    long StartTimestamp { get; }

    /// <summary>Whether a failed step ends the iteration; see <see cref="ScenarioProps.RestartIterationOnFail"/>.</summary>
    bool RestartIterationOnFail { get; }

    /// <summary>Cancelled when the run is cut: by the caller, or because the completion timeout has passed.</summary>
    CancellationToken ScenarioCancellationToken { get; }

    /// <summary>Seeded by the run's seed and the copy's number, so that a run can be repeated.</summary>
    Random Random { get; }

    /// <summary>Values of this iteration; empty at its start.</summary>
    IDictionary<string, object> Data { get; }

    /// <summary>Values of this copy; kept between its iterations.</summary>
    IDictionary<string, object> ScenarioInstanceData { get; }

    /// <summary>
    /// Adds one measurement to a step, for phases that overlap or whose ends were stamped elsewhere. Does not end the iteration when it is
    /// a failure. An end before its start counts as a duration of zero and is reported as such.
    /// </summary>
    /// <param name="name">The step; not empty.</param>
    /// <param name="startTimestamp">Start, a <see cref="System.Diagnostics.Stopwatch.GetTimestamp"/> value.</param>
    /// <param name="endTimestamp">End, on the same clock.</param>
    /// <param name="response">Success or failure, status code and size; its own end timestamp is not looked at.</param>
    void RecordStep(string name, long startTimestamp, long endTimestamp, IResponse response);

    /// <inheritdoc cref="RecordStep(string, long, long, IResponse)"/>
    void RecordStep(string name, long startTimestamp, long endTimestamp, bool isOk) =>
        RecordStep(name, startTimestamp, endTimestamp, isOk ? Response.Ok() : Response.Fail());

    /// <summary>Starts nothing more in any scenario; what runs may end. The result carries the reason.</summary>
    /// <param name="reason">Why, in words.</param>
    void StopCurrentTest(string reason);
}
