using Json.Schema;

namespace UnitTests.LoadTesting.Results;

public sealed class ResultSchemaTests
{
    private const string UpdateVariable = "UPDATE_SCHEMAS";

    /// <summary>The names that tools outside this repository rely on, by the object that holds them.</summary>
    private static readonly Dictionary<string, string[]> FixedNames = new()
    {
        [""] = ["schemaVersion", "runId", "createdUtc", "commit", "environment", "ceilings", "scenarios"],
        ["environment"] = ["fingerprint", "cpuModel", "cores", "dotnet", "backend", "backends"],
        ["ceilings"] = ["fsyncPerSecond", "commitsPerSecond", "roundTripMs", "emptyHttpPerSecond"],
        ["scenarios.0"] =
        [
            "name", "tier", "profile", "hosting", "loadEngine", "loadModel", "operations", "concurrency",
            "signalWorkers", "lanes",
            "durationMs",
            "throughputPerSecond", "latency", "phases", "ledger", "backend", "resources", "generator", "verdict",
            "timeline", "stalls",
            "errors", "thresholds",
        ],
        ["scenarios.0.timeline"] = ["intervalMs", "points"],
        ["scenarios.0.timeline.points.0"] =
        [
            "tMs", "started", "completed", "failed", "refused", "inFlight", "p50Ms", "p95Ms", "p99Ms", "maxMs",
            "scheduleLagP99Ms",
            "poolDelayP99Ms", "cpu", "backlog", "waits",
        ],
        ["scenarios.0.timeline.points.0.cpu"] = ["generator", "service", "database", "machine"],
        ["scenarios.0.stalls.0"] = ["atMs", "durationMs", "iterations", "cause", "waits"],
        ["scenarios.0.errors.0"] = ["code", "message", "count"],
        ["scenarios.0.thresholds.0"] = ["metric", "limit", "measured", "n", "outcome"],
        ["scenarios.0.latency"] = ["n", "averageMs", "p50Ms", "p95Ms", "p99Ms", "maxMs", "histogram"],
        ["scenarios.0.phases"] =
            ["start", "signalPublish", "signalToCompletion", "signalToFirstCompletion", "drainToIdle"],
        ["scenarios.0.ledger"] =
        [
            "requested", "dropped", "refused", "unknown", "started", "completed", "failed", "cancelled", "deadLettered",
            "waiting",
            "suspended",
            "stuck", "runtimeConflicts", "lost", "duplicate", "late", "unmatched", "balanced",
        ],
        ["scenarios.0.backend"] = ["raw", "perOperation", "waits"],
        ["scenarios.0.backend.perOperation"] = ["commits", "walBytes", "logicalReads", "rows"],
        ["scenarios.0.backend.waits.0"] = ["name", "share"],
        ["scenarios.0.resources"] = ["generator", "service", "database"],
        ["scenarios.0.generator"] = ["health", "achievedRatio", "scheduleLagP99Ms", "dropped"],
        ["scenarios.0.verdict"] = ["outcome", "reasons"],
    };

    /// <summary>The kept baselines and the published one.</summary>
    private static IEnumerable<string> StoredResults =>
        Repository.Files
            .Where(file => file.StartsWith("fixtures/baselines/", StringComparison.Ordinal)
                && file.EndsWith(".json", StringComparison.Ordinal)
                && !file.StartsWith("fixtures/baselines/gate/", StringComparison.Ordinal))
            .Select(Repository.FullPath);

    [Fact]
    public async Task The_schema_file_is_what_the_records_say()
    {
        var path =
            Path.Combine(SourceRevision.FindRoot(AppContext.BaseDirectory)!, "fixtures", "schema", "run.schema.json");
        if (Environment.GetEnvironmentVariable(UpdateVariable) == "1")
        {
            await File.WriteAllTextAsync(path, ResultSchema.Export(), Cancel);
            // Stored results are held to the schema too.
            foreach (var file in StoredResults)
            {
                var run = await ResultJson.ReadFileAsync(file, Cancel);
                await File.WriteAllTextAsync(
                    file, ResultJson.Write(run with { SchemaVersion = RunResult.CurrentSchemaVersion }), Cancel);
            }
        }

        var stored = File.Exists(path) ? await File.ReadAllTextAsync(path, Cancel) : "(no file)";

        Assert.True(
            stored == ResultSchema.Export(),
            $"{path} is out of date. Write it anew: {UpdateVariable}=1 dotnet test tests/UnitTests --filter "
            + "FullyQualifiedName~ResultSchema");
    }

    [Fact]
    public void Stored_results_follow_the_schema()
    {
        var schema = ResultSchema.Export();

        Assert.NotEmpty(StoredResults);
        Assert.All(StoredResults, file => Assert.Empty(Violations(File.ReadAllText(file), schema)));
    }

    [Fact]
    public void A_written_run_has_every_fixed_name()
    {
        using var document = JsonDocument.Parse(ResultJson.Write(WithCeilings()));

        foreach (var (place, names) in FixedNames)
        {
            var element = At(document.RootElement, place);
            Assert.Empty(
                names.Where(name => !element.TryGetProperty(name, out _)).Select(name => $"{place}.{name} is missing"));
        }
    }

    [Fact]
    public void Written_run_follows_the_schema() =>
        Assert.Empty(Violations(ResultJson.Write(WithCeilings()), ResultSchema.Export()));

    [Theory]
    [InlineData("\"outcome\": \"passed\"", "\"outcome\": \"perfect\"", "/scenarios/0/verdict/outcome: enum")]
    [InlineData("\"hosting\": \"inProcess\"", "\"hosting\": null", "/scenarios/0/hosting: enum")]
    [InlineData("\"durationMs\"", "\"durationSeconds\"", "/scenarios/0: required")]
    [InlineData("\"durationMs\"", "\"durationSeconds\"", "/scenarios/0/durationSeconds: ")]
    [InlineData("\"requested\": 24", "\"requested\": \"many\"", "/scenarios/1/ledger/requested: type")]
    [InlineData("\"schemaVersion\": \"1.0\"", "\"schemaVersion\": \"2.0\"", "/schemaVersion: pattern")]
    public void A_damaged_run_does_not_pass_the_schema(string sound, string damaged, string complaint)
    {
        var json = ResultJson.Write(WithCeilings());
        Assert.Contains(sound, json, StringComparison.Ordinal);

        var violations = Violations(json.Replace(sound, damaged, StringComparison.Ordinal), ResultSchema.Export());

        Assert.Contains(violations, violation => violation.StartsWith(complaint, StringComparison.Ordinal));
    }

    /// <summary>Place, keyword and message of each.</summary>
    /// <exception cref="JsonSchemaException">The schema has a keyword that the standard does not have.</exception>
    internal static IReadOnlyList<string> Violations(string json, string schema)
    {
        var options = new BuildOptions { DialectRegistry = new(), SchemaRegistry = new() };
        options.DialectRegistry
            .Register(Dialect.Draft202012.With([], MetaSchemas.Draft202012Id, allowUnknownKeywords: false));
        using var document = JsonDocument.Parse(json);
        var results = JsonSchema.FromText(schema, options)
            .Evaluate(document.RootElement, new EvaluationOptions { OutputFormat = OutputFormat.List });
        return results.IsValid ? [] :
        [
            .. from detail in results.Details
               from error in detail.Errors ?? new Dictionary<string, string>()
               select $"{detail.InstanceLocation}: {error.Key}: {error.Value}",
        ];
    }

    /// <summary>The sample, with the scenario first that has all five phases and a backend.</summary>
    private static RunResult WithCeilings()
    {
        var run = SampleRun.Create();
        return run with
        {
            Ceilings = CeilingsResult.Common(run.CeilingsByProfile),
            Scenarios = [run.Scenarios.First(scenario => scenario.Phases.Count == 5 && scenario.Backend is not null),
                .. run.Scenarios],
        };
    }

    private static JsonElement At(JsonElement root, string place) =>
        place.Split('.', StringSplitOptions.RemoveEmptyEntries)
        .Aggregate(
            root, (element, step) => int.TryParse(step, out var index) ? element[index] : element.GetProperty(step));
}
