namespace PerformanceTesting.Subjects;

/// <summary>
/// What as many users get out of a route of the same service that does nothing, right before the load: whether a load
/// that saturates the machine by design is bound by its generator.
/// </summary>
/// <param name="subject">The service.</param>
/// <param name="users">At a time.</param>
/// <param name="rampUp">
/// How long the users take to come: only the rate of all of them is compared with the ceiling.
/// </param>
internal sealed class SaturationObserver(HttpSubject subject, int users, TimeSpan rampUp) : IRunObserver
{
    private double _noOpPerSecond;

    public async Task StartAsync(CancellationToken cancellationToken)
    {
        var load = NoOpLoad.Of(subject.Services[0], users);
        var result = await new LoadRunner().RunAsync([load], new LoadOptions(), cancellationToken);
        _noOpPerSecond = NoOpLoad.PerSecond(result);
    }

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public void AddTo(RunEvidence evidence)
    {
        evidence.Saturation = new(
            users, _noOpPerSecond, evidence.Load.Scenarios.Sum(scenario => RequestResult.RateOf(scenario, rampUp)));
        evidence.Notes.Add($"{evidence.Saturation}.");
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;
}
