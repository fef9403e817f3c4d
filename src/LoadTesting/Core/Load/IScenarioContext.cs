namespace LoadTesting.Core.Load;

/// <summary>
/// The context of one iteration. Valid until the iteration's task has ended. Not safe for concurrent use, except
/// <see cref="RecordStep(string, long, long, IResponse)"/>.
/// </summary>
public interface IScenarioContext
{
    ScenarioInfo ScenarioInfo { get; }

    /// <summary>Number of iterations of this copy, from 1.</summary>
    long InvocationNumber { get; }

    /// <summary>
    /// Number of the iteration, from 0, unique within scenario and operation. Numbers follow the order of (intended)
    /// starts; in closed loads that end at a deadline each copy reserves 64 numbers at a time.
    /// </summary>
    long IterationNumber { get; }

    /// <summary>
    /// Intended start of the iteration, a <see cref="System.Diagnostics.Stopwatch.GetTimestamp"/> value; in a closed
    /// model the same as <see cref="StartTimestamp"/>.
    /// </summary>
    long IntendedTimestamp { get; }

    /// <summary>Actual start, on the same clock.</summary>
    long StartTimestamp { get; }

    /// <summary>
    /// Whether a failed step ends the iteration; see <see cref="ScenarioProps.RestartIterationOnFail"/>.
    /// </summary>
    bool RestartIterationOnFail { get; }

    /// <summary>Cancelled when the caller cancels the run, or when the completion timeout has passed.</summary>
    CancellationToken ScenarioCancellationToken { get; }

    /// <summary>Seeded by the run's seed and the copy's number, so that a run can be repeated.</summary>
    Random Random { get; }

    /// <summary>Values of this iteration; empty at its start.</summary>
    Dictionary<string, object> Data { get; }

    /// <summary>Values of this copy, kept between its iterations.</summary>
    Dictionary<string, object> ScenarioInstanceData { get; }

    /// <summary>
    /// Adds one measurement to a step, for phases that overlap or whose timestamps were taken elsewhere. A failure does
    /// not end the iteration. An end before its start counts as a duration of zero and is reported.
    /// </summary>
    /// <param name="name">The step; not empty.</param>
    /// <param name="startTimestamp">Start, a <see cref="System.Diagnostics.Stopwatch.GetTimestamp"/> value.</param>
    /// <param name="endTimestamp">End, on the same clock.</param>
    /// <param name="response">Success or failure, status code and size. Its end timestamp is ignored.</param>
    void RecordStep(string name, long startTimestamp, long endTimestamp, IResponse response);

    /// <inheritdoc cref="RecordStep(string, long, long, IResponse)"/>
    void RecordStep(string name, long startTimestamp, long endTimestamp, bool isOk) =>
        RecordStep(name, startTimestamp, endTimestamp, isOk ? Response.Ok() : Response.Fail());

    /// <summary>
    /// Think time: this copy of a closed load starts no iteration before the timestamp. The time is not part of the
    /// iteration and not in flight. No effect in an open load, which follows its schedule. A stop ends the wait.
    /// </summary>
    /// <param name="timestamp">A <see cref="System.Diagnostics.Stopwatch.GetTimestamp"/> value.</param>
    void RestUntil(long timestamp);

    /// <summary>
    /// Stops one scenario, this or another: no more iterations start, running ones may end. Other scenarios continue.
    /// </summary>
    /// <param name="scenarioName">The scenario.</param>
    /// <param name="reason">The reason, for the scenario's result.</param>
    /// <exception cref="ArgumentException">The scenario does not exist.</exception>
    void StopScenario(string scenarioName, string reason);

    /// <summary>Stops all scenarios: no more iterations start, running ones may end.</summary>
    /// <param name="reason">The reason, for the result.</param>
    void StopCurrentTest(string reason);
}
