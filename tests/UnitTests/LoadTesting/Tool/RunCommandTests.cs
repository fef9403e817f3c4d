using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;
using LoadTesting.Core.Catalogue;
using LoadTesting.Core.Reporting.Live;

namespace UnitTests.LoadTesting.Tool;

/// <summary>Runs without a test framework, and those that are followed from elsewhere.</summary>
public sealed class RunCommandTests : ToolTests
{
    private static readonly DateTimeOffset Noon = new(2026, 3, 17, 12, 0, 0, TimeSpan.Zero);

    private static readonly RunProgressSnapshot Seen = new()
    {
        Process = new ProcessOwner(4711, 1), Machine = "m1", BootId = "b1", StartedUtc = Noon, UpdatedUtc = Noon,
        Passed = 2,
    };

    [Theory]
    [InlineData("soak", null, null, "soak@memory")]
    [InlineData("*", null, null, "smoke@memory", "soak@memory")]
    [InlineData("*", "Soak", "postgres", "soak@postgres")]
    [InlineData(null, "Smoke", null, "smoke@memory")]
    public void Scenarios_are_chosen_by_name_tier_and_profile(
        string? name, string? tier, string? profile, params string[] expected) =>
        Assert.Equal(expected, RunCommand.Requests(new Catalogue(), List(name), List(tier), List(profile))
            .Select(request => $"{request.Scenario.Name}@{request.Profile}"));

    [Theory]
    [InlineData("sok", null, null, "--scenario 'sok' is not in the catalogue. The nearest are 'soak', 'smoke';")]
    [InlineData(null, "Soek", null, "--tier 'Soek' is not in the catalogue. The nearest are 'Soak', 'Smoke';")]
    [InlineData("soak", null, "postgress",
        "--profile 'postgress' is not in the catalogue. The nearest are 'postgres', 'memory';")]
    [InlineData("smoke", null, "postgres", "smoke does not run on postgres, only on memory.")]
    [InlineData("smoke", "Soak", null, "no scenario is both smoke and of Soak.")]
    [InlineData(null, null, null, "Name a --scenario or a --tier; --list shows them.")]
    public void What_is_not_there_is_named_with_what_is_nearest(
        string? name, string? tier, string? profile, string expected) =>
        AssertHolds(
            Assert.Throws<FormatException>(
                () => RunCommand.Requests(new Catalogue(), List(name), List(tier), List(profile))).Message,
            expected);

    [Fact]
    public void Repeat_command_names_all_options()
    {
        var soak = new Catalogue().Scenarios[1];

        Assert.Equal(
            "wfperf run 'my tests/it'\\''s.dll' --scenario soak --profile postgres",
            RunCommand.CommandOf("my tests/it's.dll", new CatalogueRequest(soak, "postgres"), part: null));
        Assert.Equal(
            "wfperf run t.dll --scenario soak --profile memory --rate 2000 --duration 90s --warm-up 0 --part 2/4 "
            + "--service http://10.0.0.7:5080/ --service http://10.0.0.8:5080/",
            RunCommand.CommandOf(
                "t.dll",
                new CatalogueRequest(soak, "memory")
                {
                    RatePerSecond = 2_000, Duration = TimeSpan.FromSeconds(90), WarmUpOperations = 0,
                },
                new CataloguePart(
                    LoadPart.Parse("2/4"), [new Uri("http://10.0.0.7:5080"), new Uri("http://10.0.0.8:5080")])
                {
                    Key = "secret", StartAt = Noon,
                }));
    }

    [Theory]
    [InlineData("90s", 90.0), InlineData(null, null)]
    public void Duration_of_a_run_is_read(string? text, double? seconds) =>
        Assert.Equal(seconds, RunCommand.Duration(text)?.TotalSeconds);

    [Theory]
    [InlineData("30"), InlineData("0s")]
    public void Invalid_duration_of_a_run_is_refused_with_the_forms(string text) => AssertHolds(
        Assert.Throws<FormatException>(() => RunCommand.Duration(text)).Message, $"--duration is '{text}'",
        "90s, 10m or 1h", "36:00:00");

    [Fact]
    public void Invalid_start_of_a_part_is_refused_with_the_forms() => AssertHolds(
        Assert.Throws<FormatException>(() => RunCommand.PartOf(
            "1/1", ["http://10.0.0.7:5080"], "tomorrow",
            [new CatalogueRequest(new Catalogue().Scenarios[1], "memory")])).Message,
        "--start-at is 'tomorrow'", "2026-11-28T21:30:00Z");

    [Fact]
    public async Task Unusable_assembly_is_refused_with_the_remedy()
    {
        await File.WriteAllTextAsync(PathOf("text.dll"), "no assembly", Cancel);
        await File.WriteAllBytesAsync(PathOf("newer.dll"), Image("System.Runtime", new Version(99, 0, 0, 0)), Cancel);
        await File.WriteAllBytesAsync(PathOf("old.dll"), Image("mscorlib", new Version(4, 0, 0, 0)), Cancel);
        await File.WriteAllBytesAsync(PathOf("alone.dll"), Image("Missing.Assembly", new Version(1, 0, 0, 0)), Cancel);
        (string File, string Message)[] cases =
        [
            ("missing.dll", "does not exist. Build it first"),
            (".", "is a directory. Name the assembly in it"),
            ("text.dll", "is not a .NET assembly"),
            ("newer.dll", "is built for .NET 99, and wfperf runs on .NET 10. Build it for net10.0 or older."),
            ("old.dll", "is built for .NET Framework"),
            ("alone.dll", "Missing.Assembly is not beside it. Build or publish it with its dependencies"),
        ];
        foreach (var (file, message) in cases)
        {
            var folder = AppContext.BaseDirectory;
            var refusal = Assert.Throws<FormatException>(() => CatalogueLoader.Load(PathOf(file)));
            AssertHolds(refusal.Message, PathOf(file), message);
            Assert.Equal(folder, AppContext.BaseDirectory);
        }
    }

    [Fact]
    public void Readme_has_the_exit_codes_of_the_help()
    {
        var readme = File.ReadAllText(Repository.FullPath("src/LoadTesting/Tool/README.md"));

        Assert.All(ExitCode.Table, row => AssertHolds(readme, $"| {row.Code} | {row.Meaning} |"));
        Assert.Equal(
            typeof(ExitCode).GetFields().Where(field => field.IsLiteral)
                .Select(field => (int)field.GetRawConstantValue()!).Order(),
            ExitCode.Table.Select(row => row.Code).Order());
    }

    [Fact]
    public async Task Help_has_the_exit_codes_and_every_verb_a_description()
    {
        Assert.Equal(0, await RunAsync("--help"));

        AssertHolds(Out.ToString(), ExitCode.Table.Select(row => $"{row.Code,-4}{row.Meaning}"));
        AssertHolds(Out.ToString(), "run <assembly>", "watch <path>", "completions <");
    }

    [Fact]
    public async Task Help_of_a_run_says_what_holds_where_an_option_is_not_given()
    {
        Assert.Equal(0, await RunAsync("run", "--help"));

        var lines = Out.ToString().Split('\n');
        Assert.All(
            ["--profile <", "--rate <", "--duration <", "--warm-up <", "--results <"],
            option => AssertHolds(lines.Single(line => line.Contains(option, StringComparison.Ordinal)), "Default: "));
    }

    [Theory]
    [InlineData("ru", "run")]
    [InlineData("run x.dll --sc", "--scenario")]
    [InlineData("completions ", "pwsh")]
    public async Task Shells_are_given_what_completes_the_line(string line, string expected)
    {
        Assert.Equal(0, await RunAsync($"[suggest:{line.Length}]", line));

        Assert.Contains(expected, Out.ToString().Split('\n', StringSplitOptions.TrimEntries));
    }

    [Theory]
    [InlineData("bash", "complete -o default -F _wfperf wfperf")]
    [InlineData("zsh", "compdef _wfperf wfperf")]
    [InlineData("fish", "complete -c wfperf")]
    [InlineData("pwsh", "Register-ArgumentCompleter -Native -CommandName wfperf")]
    public async Task Script_of_every_shell_asks_for_suggestions(string shell, string expected)
    {
        Assert.Equal(0, await RunAsync("completions", shell));

        AssertHolds(Out.ToString(), expected, "[suggest:");
        Assert.DoesNotContain('\r', CompletionsCommand.Scripts[shell]);
    }

    [Theory]
    [InlineData(
        WatchState.Running, RunState.Running, 9, true, "m1", "b1", "The run is in progress; 2 scenarios so far: 2 "
            + "passed")]
    [InlineData(WatchState.Silent, RunState.Running, 11, true, "m1", "b1",
        "The run hangs: process 4711 exists, and its last update was")]
    [InlineData(WatchState.Killed, RunState.Running, 1, false, "m1", "b1", "The run was killed: process 4711 is gone")]
    [InlineData(WatchState.Killed, RunState.Running, 1, true, "m1", "b2",
        "The run was killed: the machine has been restarted since")]
    [InlineData(WatchState.Running, RunState.Running, 1, false, "m2", "b2", "The run is in progress")]
    [InlineData(WatchState.Silent, RunState.Running, 11, false, "m2", "b2",
        "The run is on another machine, m1, and may be gone")]
    [InlineData(WatchState.Ended, RunState.Ended, 9_999, false, "m2", "b2", "The run has ended; 2 scenarios: 2 passed")]
    [InlineData(WatchState.Interrupted, RunState.Interrupted, 9_999, false, "m1", "b1",
        "The run was interrupted, and its results are")]
    [InlineData(WatchState.Killed, RunState.Killed, 9_999, true, "m2", "b1",
        "The run was killed: process 4711 is gone, and its results")]
    public void State_of_a_run_depends_on_its_process_boot_and_time(
        WatchState expected, RunState said, int quietSeconds, bool isAlive, string machine, string boot, string words)
    {
        var watch = RunWatch.Of(Seen with { State = said }, Noon.AddSeconds(quietSeconds), _ => isAlive, machine, boot);

        Assert.Equal(expected, watch.State);
        Assert.StartsWith(words, watch.Sentence, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(0, RunState.Ended, 0, "The run has ended")]
    [InlineData(1, RunState.Ended, 1, "The run has ended; 3 scenarios: 2 passed, 1 failed")]
    [InlineData(1, RunState.Interrupted, 0, "results are partial")]
    [InlineData(1, RunState.Running, 0, "The run was killed: process")]
    public async Task Watching_ends_when_the_run_is_over(int expected, RunState state, int failed, string words)
    {
        var gone = new ProcessOwner(int.MaxValue, 1);
        Folder.CreateSubdirectory("old");
        Folder.CreateSubdirectory("new");
        using (var file = new ProgressFile(PathOf("new")))
        {
            file.Show(Seen with
            {
                State = state, Failed = failed, Process = gone, Machine = Environment.MachineName,
                BootId = BootId.Current,
            });
        }

        Assert.Equal((expected, ""), (await RunAsync("watch", Folder.FullName), Error.ToString()));
        AssertHolds(Out.ToString(), words);
        Assert.Equal([ProgressFile.FileName], Directory.GetFiles(PathOf("new")).Select(Path.GetFileName));
    }

    [Theory]
    [InlineData("nowhere", "does not exist")]
    [InlineData(".", "has no run.progress")]
    [InlineData("run.progress", "is not the progress of a run")]
    public async Task Path_that_cannot_be_watched_is_named(string path, string words)
    {
        if (path == "run.progress")
        {
            await File.WriteAllTextAsync(PathOf(path), "{}", Cancel);
        }

        Assert.Equal(2, await RunAsync("watch", PathOf(path)));
        AssertHolds(Error.ToString(), words);
    }

    private static string[] List(string? value) => value is null ? [] : [value];

    /// <summary>An assembly with a class that derives from one of another assembly.</summary>
    private static byte[] Image(string runtime, Version version)
    {
        var metadata = new MetadataBuilder();
        metadata.AddModule(0, metadata.GetOrAddString("m"), metadata.GetOrAddGuid(Guid.NewGuid()), default, default);
        metadata.AddAssembly(metadata.GetOrAddString("a"), new Version(1, 0), default, default, default, default);
        var other = metadata.AddAssemblyReference(
            metadata.GetOrAddString(runtime), version, default, default, default, default);
        var parent = metadata.AddTypeReference(other, metadata.GetOrAddString("N"), metadata.GetOrAddString("Parent"));
        metadata.AddTypeDefinition(
            default, default, metadata.GetOrAddString("<Module>"), default, MetadataTokens.FieldDefinitionHandle(1),
            MetadataTokens.MethodDefinitionHandle(1));
        metadata.AddTypeDefinition(
            System.Reflection.TypeAttributes.Public, metadata.GetOrAddString("N"), metadata.GetOrAddString("Child"),
            parent,
            MetadataTokens.FieldDefinitionHandle(1), MetadataTokens.MethodDefinitionHandle(1));
        var image = new BlobBuilder();
        new ManagedPEBuilder(
            PEHeaderBuilder.CreateLibraryHeader(), new MetadataRootBuilder(metadata), new BlobBuilder())
            .Serialize(image);
        return image.ToArray();
    }

    private sealed class Catalogue : IScenarioCatalogue
    {
        public IReadOnlyList<string> Profiles { get; } = ["memory", "postgres"];

        public IReadOnlyList<CatalogueScenario> Scenarios { get; } =
        [
            new("smoke", "Smoke", "Is it right?", ["memory"], TakesLoad: false),
            new("soak", "Soak", "Does it last?", ["memory", "postgres"], TakesLoad: true),
        ];

        public Task<ICatalogueRun> BeginAsync(CatalogueRunOptions options, CancellationToken cancellationToken) =>
            throw new NotSupportedException("Nothing runs here.");
    }
}
