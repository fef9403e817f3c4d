using LoadTesting.Core.Catalogue;
using LoadTesting.Core.Reporting;
using LoadTesting.Core.Reporting.Live;

namespace UnitTests.LoadTesting.Tool;

/// <summary>Scenarios of which one is measured twice, a ladder, a capacity search and one that cannot run.</summary>
public sealed class CountedCatalogue : IScenarioCatalogue
{
    public IReadOnlyList<string> Profiles { get; } = ["postgres"];

    public IReadOnlyList<CatalogueScenario> Scenarios { get; } =
    [
        .. new[] { "orders", "orders-again", "payments", "ladder-c1", "ladder-c4", "search", "skipped" }
            .Select(name => new CatalogueScenario(name, "Smoke", "How many?", ["postgres"], TakesLoad: false)),
    ];

    public async Task<ICatalogueRun> BeginAsync(CatalogueRunOptions options, CancellationToken cancellationToken) =>
        new Run(
        await ResultWriter.CreateAsync(
            new() { ResultsDirectory = options.ResultsDirectory!, RepositoryDirectory = options.ResultsDirectory! },
            cancellationToken));

    private sealed class Run : ICatalogueRun
    {
        private readonly LoadMetrics _metrics = new();
        private readonly ResultWriter _writer;
        private readonly RunProgress _progress;

        public Run(ResultWriter writer) => (_writer, _progress) = (writer, new RunProgress(_metrics));

        public string? ReportPath => _writer.ReportPath;

        public ScenarioCounts Measured => ScenarioCounts.Of(_writer.Run);

        public async Task<CatalogueResult> RunAsync(CatalogueRequest request, CancellationToken interruption)
        {
            switch (request.Scenario.Name)
            {
                case "skipped":
                    await _writer.AddNotExercisedAsync(
                        [new("mongo", "There is no server.", "Start one.")], interruption);
                    return new CatalogueResult(null, "NOT AVAILABLE") { IsMeasured = false };
                case "search":
                    await _writer.AddCapacityAsync(SampleCapacity.All[0], interruption);
                    break;
                case var name:
                    var scenario = Runs.Scenario(name: name == "orders-again" ? "orders" : name);
                    var concurrency = name[^2] == 'c' ? name[^1] - '0' : 8;
                    scenario = scenario with
                    {
                        Validity = scenario.Validity! with { Environment = [] }, Concurrency = concurrency,
                    };
                    await _writer.AddScenariosAsync([scenario], interruption);
                    break;
            }

            _progress.Add(_writer.Run);
            return new CatalogueResult(VerdictOutcome.Passed, "PASSED");
        }

        public IReadOnlyList<string> TakeLateFailures() => [];

        public async ValueTask DisposeAsync()
        {
            _progress.Name(_writer.Run.RunId);
            _progress.End(RunState.Ended);
            new ProgressFile(_writer.DirectoryPath).Show(_progress.Read());
            await RunIndex.WriteAsync(Path.GetDirectoryName(_writer.DirectoryPath)!, CancellationToken.None);
            _metrics.Dispose();
            _writer.Dispose();
        }
    }
}
