using LoadTesting.Core.Catalogue;
using LoadTesting.Core.Load.Watches;
using Workflow.Client;

namespace PerformanceTesting.Subjects;

/// <summary>
/// What a part of a load of workflow scenarios needs: an existing service, which other parts load too.
/// </summary>
/// <param name="Scenarios">Loaded at the same time, on one service; most often one.</param>
/// <param name="Profile">What the service lives on, by name: results are named after it.</param>
/// <param name="Part">Which part, and where the service is.</param>
public sealed record PartArrangement(IReadOnlyList<WorkflowScenario> Scenarios, string Profile, CataloguePart Part)
{
    private const string CalledTotal = "workflow_instances_called_total";

    private static readonly string[] Remarks =
    [
        "Driven in parts: load model and concurrency are those of the whole. Parts do not wait for the service to be "
            + "idle, so drainToIdle and signalToCompletion are not measured.",
    ];

    /// <summary>Identity of the assembly that holds the scenarios.</summary>
    public required string Build { get; init; }

    /// <summary>A regression on purpose, in the first part alone; null by default.</summary>
    public IFaultInjection? Injection { get; init; }

    /// <summary>
    /// Why a scenario cannot be divided into this many parts, and what to do instead; null if it can.
    /// </summary>
    public static string? DivisionUnsupportedReason(WorkflowScenario scenario, HostingKind hosting, int parts)
    {
        var users = Math.Min(
            scenario.RatePerSecond is null ? scenario.Concurrency : int.MaxValue,
            scenario.WarmUpOperations > 0 ? scenario.WarmUpConcurrency : int.MaxValue);
        return hosting == HostingKind.InProcess
            ? $"{scenario.Name} runs in the process of its generator: take {scenario.Name}-http."
            : scenario.NodeChange != NodeChange.None
                ? $"{scenario.Name} ends a node that it has started itself: run it without --part."
            : scenario.Shape == BatchShape.EachAlone
                ? $"{scenario.Name} begins each operation when the service is idle: run it without --part."
            : scenario.IterationsPerOperation > 1
                ? $"{scenario.Name} sends no signal before the last start was answered, and a part does not know of "
                    + "the others' starts: run it without --part, or take a scenario such as linear-vu500-http."
            : users < parts ? $"{scenario.Name} has {users} users for {parts} parts: divide it into {users} at most."
            : null;
    }

    /// <summary>Listens to the service, registers the definitions and names the observers.</summary>
    /// <exception cref="ArgumentException">
    /// The service does not answer as one; the message names its addresses.
    /// </exception>
    public async Task<Arrangement> ArrangeAsync(CancellationToken cancellationToken)
    {
        var subject = await AskAsync(() =>
            HttpSubject.JoinAsync(Profile, Part.Services, Part.Part.Owns, Part.Key, cancellationToken));
        try
        {
            subject.Observer.Fault = Part.Part.Index == 1 ? Injection?.Plant() : null;
            var pages = await AskAsync(() => subject.ReadMetricsAsync(cancellationToken));
            foreach (var scenario in Scenarios)
            {
                await AskAsync(async () =>
                {
                    await scenario.AttachAsync(subject, cancellationToken);
                    return scenario;
                });
                (scenario.IsPart, scenario.BackendRemarks) = (true, Remarks);
            }

            var part = new DrivenPart(Part.Part)
            {
                Build = Build,
                Services = pages.ToDictionary(
                    page => page.Key.AbsoluteUri, page => MetricsPage.Value(page.Value, MetricsPage.ProcessStart),
                    StringComparer.Ordinal),
                Before = [.. CountsOf().Select(count => count with { Before = count.ReadFrom(pages.Values) })],
                StartAt = Part.StartAt,
                ReadClockAsync = cancel => AskAsync(() => subject.ReadClockAsync(cancel)),
            };
            return new Arrangement(
                subject, Scenarios, [.. Saturation(subject), part, new HostObserver(subject), new ProcessObserver(0)]);
        }
        catch
        {
            await subject.DisposeAsync();
            throw;
        }
    }

    /// <summary>Asks the service for something before the load.</summary>
    /// <exception cref="ArgumentException">
    /// It does not answer, or something else does; the message names the addresses.
    /// </exception>
    private async Task<T> AskAsync<T>(Func<Task<T>> ask)
    {
        try
        {
            return await ask();
        }
        catch (Exception exception)
            when (exception is HttpRequestException or WorkflowApiException or TimeoutException or FormatException)
        {
            throw new ArgumentException(
                $"No part can be driven on {string.Join(" and ", Part.Services)}: "
                    + $"{exception.Message.Split('\n')[0].TrimEnd('.')}. "
                + $"Is the service running there, and its key in {CataloguePart.KeyVariable}?", exception);
        }
    }

    private IEnumerable<IRunObserver> Saturation(HttpSubject subject) =>
        Scenarios.All(scenario => scenario.SaturatesByDesign)
        ? [new SaturationObserver(
            subject, Math.Max(1, Scenarios.Sum(scenario => scenario.Concurrency) / Part.Part.Of),
            Scenarios.Max(scenario => scenario.RampUp))]
        : [];

    /// <summary>
    /// A call that a step makes is counted as a start and as a completion, and is no operation. Where operations are
    /// signals to a receiver the service counts them as they come.
    /// </summary>
    private IEnumerable<PartCount> CountsOf() => Scenarios.All(scenario => scenario.StartsInstances)
        ?
        [
            new(PartCount.Started, "workflow_instances_started_total", CalledTotal, 0, 0, 0),
            new(PartCount.Completed, "workflow_instances_completed_total", CalledTotal, 0, 0, 0),
        ]
        : [new(PartCount.Started, "workflow_signals_total", Less: null, 0, 0, 0)];
}
