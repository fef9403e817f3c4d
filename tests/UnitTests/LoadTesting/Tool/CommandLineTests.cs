namespace UnitTests.LoadTesting.Tool;

public sealed class CommandLineTests : ToolTests
{
    private static readonly string Published = Repository.FullPath("fixtures/baselines/seed/oracle-aq-2026-03-17.json");

    [Fact]
    public async Task Compare_prints_every_scenario_on_request()
    {
        await SaveAsync("latest/run.json");

        var code = await RunAsync(
            "compare", Published, Folder.FullName, "--verbose", "--markdown", PathOf("out/c.md"), "--html",
            PathOf("out/c.html"));

        Assert.Equal((0, ""), (code, Error.ToString()));
        Assert.All(SampleRun.Create().Scenarios,
            scenario => Assert.Contains($"\n{scenario.NameWithoutProfile()}, ", Out.ToString()));
        Assert.Contains("signal-roundtrip-capacity-c16, in process", Out.ToString());
        Assert.StartsWith("# oracle-aq beside memory beside postgres", await TextAsync("out/c.md"));
        Assert.StartsWith("<!doctype html>", await TextAsync("out/c.html"));
        Assert.DoesNotContain('\u001b', Out.ToString());
    }

    [Fact]
    public async Task Compare_leaves_out_what_has_not_changed()
    {
        await SaveAsync("run.json");

        Assert.Equal(0, await RunAsync("compare", PathOf("run.json")));

        var text = Out.ToString();
        Assert.StartsWith("B postgres against A memory: nothing is slower or faster: 2 not ranked, 4 missing.", text);
        Assert.Contains("The figures of every row: --verbose.", text);
        Assert.DoesNotContain("immediate-burst-smoke, in process", text);
    }

    [Fact]
    public async Task Compare_takes_only_the_profiles_asked_for()
    {
        await SaveAsync("run.json");

        Assert.Equal(
            0, await RunAsync(
                "compare", Published, PathOf("run.json"), "--profile", "oracle-aq", "--profile", "postgres"));
        Assert.Contains("B postgres", Out.ToString());
        Assert.DoesNotContain("in-memory store", Out.ToString());
    }

    [Fact]
    public async Task StyledOutput_holds_the_same_cells()
    {
        await SaveAsync("run.json");

        Assert.Equal(
            0, await CommandLine.RunAsync(
                ["compare", PathOf("run.json")], new ToolConsole(Out, Error, IsStyled: true), Cancel));
        Assert.Contains("not ranked", Out.ToString());
        Assert.Contains("B postgres against A memory", Out.ToString());
    }

    [Theory]
    [InlineData("missing.json", "Name a run.json")]
    [InlineData("empty-directory", "neither run.json nor latest/run.json")]
    [InlineData("broken.json", "Compare it with fixtures/schema/run.schema.json")]
    [InlineData("other.json", "schemaVersion is missing")]
    [InlineData("future.json", "schemaVersion is 2.0; this code reads 1.x")]
    public async Task Bad_input_ends_with_code_two_and_names_the_file(string name, string wayOut)
    {
        Folder.CreateSubdirectory("empty-directory");
        await File.WriteAllTextAsync(PathOf("broken.json"), "{ \"schemaVersion\": ", Cancel);
        await File.WriteAllTextAsync(PathOf("other.json"), "{}", Cancel);
        await File.WriteAllTextAsync(PathOf("future.json"), "{ \"schemaVersion\": \"2.0\" }", Cancel);

        foreach (var arguments in new string[][] { ["compare", Published, PathOf(name)], ["report", PathOf(name)] })
        {
            Error.GetStringBuilder().Clear();
            Assert.Equal(2, await RunAsync(arguments));
            Assert.StartsWith($"wfperf: {PathOf(name)}: ", Error.ToString());
            Assert.Contains(wayOut, Error.ToString());
            Assert.Empty(Out.ToString());
        }
    }

    [Theory]
    [InlineData("compare"), InlineData("report"), InlineData("unheard-of")]
    [InlineData("doctor", "--unheard-of")]
    [InlineData]
    public async Task Unusable_arguments_end_with_code_two_and_point_at_the_help(params string[] arguments)
    {
        Assert.Equal(2, await RunAsync(arguments));
        Assert.Contains("--help", Error.ToString());
    }

    [Fact]
    public async Task Single_profile_with_nothing_beside_it_is_bad_input()
    {
        Assert.Equal(2, await RunAsync("compare", Published));
        Assert.Contains("Name a second run", Error.ToString());
    }

    [Fact]
    public async Task Input_is_never_written_over()
    {
        await SaveAsync("run.json");
        var before = await TextAsync("run.json");

        Assert.Equal(2, await RunAsync("compare", Published, PathOf("run.json"), "--html", PathOf("run.json")));
        Assert.Equal(2, await RunAsync("report", PathOf("run.json"), "--output", PathOf("run.json")));
        Assert.Equal(before, await TextAsync("run.json"));
    }

    [Theory]
    [InlineData("run.json", "report.html")]
    [InlineData("postgres-immediate-burst-smoke.json", "postgres-immediate-burst-smoke.html")]
    public async Task Report_is_rendered_beside_the_result(string result, string page)
    {
        await SaveAsync(result);

        Assert.Equal(0, await RunAsync("report", PathOf(result)));
        Assert.Contains("20260317T101500Z-8d4f1c2", await TextAsync(page));
        Assert.Contains(PathOf(page), Out.ToString());
    }

    [Fact]
    public async Task Baseline_document_compares_the_run_with_another()
    {
        await SaveAsync("run.json");
        await File.WriteAllTextAsync(PathOf("good.md"), "# Kept\n\n{{summary}}\n", Cancel);
        await File.WriteAllTextAsync(PathOf("bad.md"), "{{unheard-of}}\n", Cancel);
        string[] command = [
            "report", PathOf("run.json"), "--beside", Published, "--baseline-document", PathOf("out.md"), "--template"];

        Assert.Equal(0, await RunAsync([.. command, PathOf("good.md")]));
        var document = await TextAsync("out.md");
        Assert.StartsWith("# Kept", document);
        Assert.All(["oracle-aq", "memory", "postgres"], profile => Assert.Contains($"| {profile} |", document));

        Assert.Equal(2, await RunAsync([.. command, PathOf("bad.md")]));
        Assert.StartsWith($"wfperf: {PathOf("bad.md")}: line 1: there is no directive 'unheard-of'", Error.ToString());
        Assert.Equal(document, await TextAsync("out.md"));
    }

    [Fact]
    public async Task Help_lists_the_verbs()
    {
        Assert.Equal(0, await RunAsync("--help"));
        Assert.All(["compare", "report", "doctor"], verb => Assert.Contains(verb, Out.ToString()));
    }

    [Theory]
    [InlineData(false, null, "xterm", true)]
    [InlineData(true, null, "xterm", false)]
    [InlineData(false, "1", "xterm", false)]
    [InlineData(false, "", "xterm", true)]
    [InlineData(false, null, "dumb", false)]
    public void Output_is_plain_when_redirected_or_requested(
        bool redirected, string? noColor, string term, bool styled) =>
        Assert.Equal(styled,
            ToolConsole.MayStyle(redirected, name => name == "NO_COLOR" ? noColor : name == "TERM" ? term : null));

    [Fact]
    public async Task Path_of_the_wrong_kind_is_named_with_the_remedy()
    {
        await SaveAsync("run.json");
        Folder.CreateSubdirectory("directory");
        (string[] Arguments, string Message)[] cases =
        [
            (["report", PathOf("run.json"), "--baseline-document", PathOf("out.md"), "--template", PathOf("directory")],
                $"{PathOf("directory")}: is a directory. Name a file."),
            (["report", PathOf("run.json"), "--output", PathOf("run.json/page.html")],
                $"{PathOf("run.json")}: is a file. Name a directory."),
            (["compare", Published, PathOf("run.json"), "--markdown", PathOf(new string('m', 300))],
                "a name in it has 304 bytes, and a file system takes 255. Shorten it."),
        ];
        foreach (var (arguments, message) in cases)
        {
            Error.GetStringBuilder().Clear();
            Assert.Equal(2, await RunAsync(arguments));
            AssertHolds(Error.ToString(), message);
        }
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Names_of_a_result_cannot_act_on_the_terminal(bool isStyled)
    {
        const string Name = "memory-GET <id>\u001b]0;title\u0007\u202Eabc";
        var run = SampleRun.Create();
        run = run
            with { Scenarios = [.. run.Scenarios.Select((one, index) => index == 0 ? one with { Name = Name } : one)] };
        await File.WriteAllTextAsync(PathOf("run.json"), ResultJson.Write(run), Cancel);

        var code = await CommandLine.RunAsync(
            ["compare", PathOf("run.json"), "--verbose", "--markdown", PathOf("c.md")],
            new ToolConsole(Out, Error, isStyled), Cancel);

        Assert.Equal((0, ""), (code, Error.ToString()));
        Assert.Contains("\\u202Eabc", Regex.Replace(Out.ToString(), @"\s+", ""));
        Assert.DoesNotMatch("\u001b]|[\u0007\u202E]", Out.ToString());
        Assert.Contains("GET &lt;id>", await TextAsync("c.md"));
        Assert.DoesNotMatch("[\u0007\u001b\u202E]", await TextAsync("c.md"));
    }

    private Task SaveAsync(string file)
    {
        Directory.CreateDirectory(Path.GetDirectoryName(PathOf(file))!);
        return File.WriteAllTextAsync(PathOf(file), ResultJson.Write(SampleRun.Create()), Cancel);
    }
}
