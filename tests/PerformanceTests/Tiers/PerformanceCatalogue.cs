using System.Reflection;
using LoadTesting.Core.Analysis;
using LoadTesting.Core.Catalogue;
using PerformanceTesting;
using PerformanceTesting.Subjects.Streams;

namespace PerformanceTests.Tiers;

/// <summary>
/// The scenarios of the tiers for <c>wfperf run</c>, which measures, writes and judges them as the tests do.
/// </summary>
public sealed class PerformanceCatalogue : IScenarioCatalogue
{
    private const string HttpSuffix = "-http";

    private static readonly string[] ForPayments = [.. RunFixture.PaymentProfiles.Select(row => row.Data)];

    public IReadOnlyList<string> Profiles => BackendCatalog.KnownProfiles;

    public IReadOnlyList<CatalogueScenario> Scenarios => [.. Rows().Select(row => row.Scenario)];

    public async Task<ICatalogueRun> BeginAsync(CatalogueRunOptions options, CancellationToken cancellationToken)
    {
        OptimisationCheck.RefuseUnoptimised(Assembly.GetExecutingAssembly());
        try
        {
            return await BeginInTurnAsync(options, cancellationToken);
        }
        catch (Exception exception) when (exception is BackendException or TimeoutException)
        {
            throw new ArgumentException(exception.Message, exception);
        }
    }

    private async Task<CatalogueRun> BeginInTurnAsync(CatalogueRunOptions options, CancellationToken cancellationToken)
    {
        var variables = MeasurementVariables.FromEnvironment(injections: Injection.Parse);
        if (variables.Transport == EventTransport.RabbitMq)
        {
            throw new ArgumentException(
                $"{MeasurementVariables.TransportName} is 'rabbitmq', and 'wfperf run' starts no broker: unset it, or "
                + "measure over RabbitMQ with 'dotnet test tests/PerformanceTests'.");
        }

        var run = new PerformanceRun(
            new BackendCatalog(BackendVariables.FromEnvironment()), variables, options.Outputs)
        {
            Abort = options.Abort, ResultsDirectory = options.ResultsDirectory,
        };
        try
        {
            // Parts of a load may run beside each other.
            var turn = await TestRunLock.AcquireAsync(
                options.Part is null ? TestRunLockMode.Exclusive : TestRunLockMode.Shared,
                new TestRunLockOptions { Waiting = run.Progress.WaitFor }, cancellationToken);
            run.Progress.WaitFor(null);
            return new CatalogueRun(Rows(), run, turn, options.Part);
        }
        catch
        {
            await run.DisposeAsync();
            throw;
        }
    }

    /// <summary>Every scenario with what makes and measures it.</summary>
    private List<CatalogueRow> Rows() =>
    [
        .. ScenarioTable.Published.Concat(ScenarioTable.FullSizes).SelectMany(OfVariant),
        .. OfTypes(typeof(PerformanceCatalogue).Assembly.GetExportedTypes()),
        .. from variant in new[] { DormantWakeupScenario.Small, DormantWakeupScenario.FullSize }
           from hosting in new[] { HostingKind.InProcess, HostingKind.Http }
           select OfDormant(variant, hosting),
        .. VirtualUserScenario.Kinds.SelectMany(kind => new[]
        {
            OfUsers(kind, 50, null), OfUsers(kind, 500, TimeSpan.FromSeconds(15)),
        }),
        OfUsers("linear", 2_000, TimeSpan.FromSeconds(15)),
        .. Enum.GetValues<ScenarioSize>().SelectMany(SignalRoundTripNodesScenario.All).Select(OfNodes),
        .. StreamScenario.Kinds.Select(kind => OfStreams(kind, _ => StreamScenario.Small(kind))),
        .. StreamScenario.Kinds.Select(kind => OfStreams(kind, variables => StreamScenario.Of(kind, variables))),
        OfStreams("combined", variables => StreamScenario.Soak(variables, duration: null)),
        OfStreams("combined", variables => StreamScenario.Soak(variables, variables.Duration ?? variables.SseDuration)),
        .. OfPayments(
            variant => new PaymentJourneyScenario(variant),
            PaymentJourneyScenario.Smoke, PaymentJourneyScenario.Nightly, PaymentJourneyScenario.FullSize,
            PaymentJourneyScenario.Parallel),
        .. OfPayments(
            variant => new PaymentApiScenario(variant),
            PaymentApiScenario.Smoke, PaymentApiScenario.Nightly, PaymentApiScenario.FullSize),
        .. OfPayments(
            variant => new PaymentRejectionScenario(variant),
            PaymentRejectionScenario.Smoke, PaymentRejectionScenario.Nightly, PaymentRejectionScenario.FullSize),
        .. OfPayments(
            variant => new PaymentPollingScenario(variant),
            PaymentPollingScenario.Smoke, PaymentPollingScenario.Nightly, PaymentPollingScenario.FullSize),
    ];

    private IEnumerable<CatalogueRow> OfVariant(ScenarioVariant variant)
    {
        var takesLoad = variant.Name.StartsWith(SignalRoundTripSoakScenario.Soak.Name, StringComparison.Ordinal);
        var scenario = ScenarioTable.Make(variant);
        return InBothHostings(scenario, takesLoad, (request, duration) => takesLoad
            ? new SignalRoundTripSoakScenario(variant, request.Duration ?? duration)
            {
                Rate = request.RatePerSecond, WarmUps = request.WarmUpOperations,
            }
            : scenario);
    }

    /// <summary>A scenario that needs no arguments needs no line here: its type is enough.</summary>
    internal IEnumerable<CatalogueRow> OfTypes(IEnumerable<Type> types)
    {
        return types
            .Where(type => type.IsSubclassOf(typeof(WorkflowScenario)) && !type.IsAbstract
                && type.GetConstructor([]) is not null)
            .SelectMany(type => InBothHostings(Make(type), takesLoad: false, (_, _) => Make(type)));

        static WorkflowScenario Make(Type type) => (WorkflowScenario)Activator.CreateInstance(type)!;
    }

    private IEnumerable<CatalogueRow> InBothHostings(
        WorkflowScenario scenario, bool takesLoad, Func<CatalogueRequest, TimeSpan?, WorkflowScenario> make) =>
        new[] { HostingKind.InProcess, HostingKind.Http }.Select(hosting => OfWorkflows(
            new CatalogueScenario(
                scenario.Name + (hosting == HostingKind.Http ? HttpSuffix : ""), scenario.Tier, scenario.Question,
                Profiles, takesLoad),
            hosting, (request, duration) => [make(request, duration)]));

    private static CatalogueRow OfDormant(ScenarioVariant variant, HostingKind hosting)
    {
        var scenario = new DormantWakeupScenario(variant);
        var name = variant.Name + (hosting == HostingKind.Http ? HttpSuffix : "");
        return OfWorkflows(
            new CatalogueScenario(
                name, variant.Tier, scenario.Question, BackendCatalog.KnownProfiles, TakesLoad: false),
            hosting, (_, _) => [scenario]);
    }

    private CatalogueRow OfNodes(WorkflowScenario scenario) => OfWorkflows(
        new CatalogueScenario(
            scenario.Name + HttpSuffix, scenario.Tier, scenario.Question,
            [.. Profiles.Where(profile => profile != "memory")], TakesLoad: false),
        HostingKind.Http, (_, _) => [scenario]);

    private CatalogueRow OfUsers(string kind, int users, TimeSpan? duration)
    {
        var scenarios = VirtualUserScenario.Of(kind, users, duration);
        return OfWorkflows(
            new CatalogueScenario(
                $"{kind}-vu{users}{HttpSuffix}", scenarios[0].Tier, VirtualUserScenario.QuestionOf(kind, users),
                Profiles, TakesLoad: false),
            HostingKind.Http, (_, _) => scenarios);
    }

    /// <param name="make">
    /// Makes the scenarios for a duration, which is null if the number of operations ends them.
    /// </param>
    private static CatalogueRow OfWorkflows(
        CatalogueScenario scenario, HostingKind hosting,
        Func<CatalogueRequest, TimeSpan?, IReadOnlyList<WorkflowScenario>> make)
    {
        return new(
            scenario,
            (run, request, cancel) => run.MeasureAsync(
                Make(run, request), request.Profile, hosting, transport: null, cancel))
        {
            MeasurePart = (run, request, part, cancel) => run.MeasurePartAsync(
                Make(run, request), request.Profile, hosting, part,
                typeof(PerformanceCatalogue).Module.ModuleVersionId, cancel),
        };

        IReadOnlyList<WorkflowScenario> Make(PerformanceRun run, CatalogueRequest request) =>
            make(request, scenario.TakesLoad ? request.Duration ?? run.Variables.Duration : null);
    }

    private CatalogueRow OfStreams(string kind, Func<MeasurementVariables, StreamScenario> make)
    {
        var scenario = make(new MeasurementVariables());
        return new(
            new CatalogueScenario(
                scenario.Name + HttpSuffix, scenario.Tier, scenario.Question, Profiles, TakesLoad: false),
            (run, request, cancel) => run.MeasureAsync(make(run.Variables), request.Profile, cancel));
    }

    private static IEnumerable<CatalogueRow> OfPayments(
        Func<PaymentVariant, PaymentScenario> make, params PaymentVariant[] variants) =>
        variants.Select(variant => new CatalogueRow(
            new CatalogueScenario(
                variant.Name, variant.Tier, make(variant).Question, ForPayments, TakesLoad: variant.Copies is null),
            (run, request, cancel) => run.MeasureAsync(
                make(request switch
                {
                    { RatePerSecond: null, Duration: null } => variant,
                    _ => variant with
                    {
                        Rate = request.RatePerSecond ?? variant.Rate,
                        Interval = request.RatePerSecond is null ? variant.Interval : TimeSpan.FromSeconds(1),
                        During = request.Duration ?? variant.During,
                    },
                } with { WarmUpOperations = request.WarmUpOperations ?? variant.WarmUpOperations }),
                request.Profile, transport: null, cancel)));
}

/// <param name="Scenario">What is listed.</param>
/// <param name="Measure">Makes and measures it.</param>
internal sealed record CatalogueRow(
    CatalogueScenario Scenario, Func<PerformanceRun, CatalogueRequest, CancellationToken, Task<RunReport>> Measure)
{
    /// <summary>Makes and measures a part of it; null if one process drives all of it.</summary>
    public Func<PerformanceRun, CatalogueRequest, CataloguePart, CancellationToken, Task<RunReport>>? MeasurePart
    {
        get;
        init;
    }
}

/// <summary>Measures rows of the catalogue with a run, without xUnit, and returns the verdicts.</summary>
internal sealed class CatalogueRun(
    IReadOnlyList<CatalogueRow> rows, PerformanceRun run, TestRunLock turn, CataloguePart? part) : ICatalogueRun
{
    public string? ReportPath => run.Writer?.ReportPath;

    public ScenarioCounts Measured => run.Writer is { } writer ? ScenarioCounts.Of(writer.Run) : new(0, 0, 0);

    public async Task<CatalogueResult> RunAsync(CatalogueRequest request, CancellationToken interruption)
    {
        var name = $"{request.Profile}-{request.Scenario.Name}";
        if (part is null && await WhyNotAvailableAsync(request.Profile, interruption) is { } reason)
        {
            return NotMeasured(outcome: null, $"NOT AVAILABLE {name}: {reason}");
        }

        try
        {
            run.Reproduce = request.Command is { } command
                ? RepeatCommand.Of(command, Environment.GetEnvironmentVariable)
                : null;
            var row = rows.Single(row => row.Scenario.Name == request.Scenario.Name);
            var report = part is null ? await row.Measure(run, request, interruption)
                : row.MeasurePart is { } measure ? await measure(run, request, part, interruption)
                : throw new ArgumentException($"{row.Scenario.Name} is driven by one process: run it without --part.");
            return new CatalogueResult(report.Result.Verdict.Outcome, report.Summary);
        }
        catch (Exception exception) when (exception is BackendException or WebServiceException)
        {
            return NotMeasured(VerdictOutcome.Failed, $"FAILED {name}: {exception.Message}");
        }
    }

    private static CatalogueResult NotMeasured(VerdictOutcome? outcome, string summary) =>
        new(outcome, summary) { IsMeasured = false };

    private async Task<string?> WhyNotAvailableAsync(string profile, CancellationToken cancellationToken)
    {
        try
        {
            var availability = await run.Catalog.ProbeAsync(profile, cancellationToken);
            return availability.IsAvailable ? null : availability.ToString();
        }
        catch (BackendException exception)
        {
            return exception.Message;
        }
    }

    public IReadOnlyList<string> TakeLateFailures() => run.TakeLateFailures();

    public async ValueTask DisposeAsync()
    {
        await run.DisposeAsync();
        turn.Dispose();
    }
}
