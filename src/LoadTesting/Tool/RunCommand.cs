using System.IO.Enumeration;
using Foundation;
using LoadTesting.Core.Catalogue;
using LoadTesting.Core.Load;
using LoadTesting.Core.Reporting.Live;

namespace LoadTesting.Tool;

/// <summary><c>wfperf run</c>: scenarios of an assembly, without a test framework.</summary>
internal static class RunCommand
{
    public const string Name = "run";

    private const int Nearest = 3;

    public static Command Create(ToolConsole console)
    {
        var assembly = new Argument<string>("assembly")
        {
            Description = "The assembly that holds the scenarios, e.g. "
                + "tests/PerformanceTests/bin/Debug/net10.0/PerformanceTests.dll.",
        };
        var scenarios = new Option<string[]>("--scenario", "-s")
        {
            Description = "Run this one, by its name without the profile ('*' and '?' stand for characters); may be "
                + "given several times.",
            HelpName = "name",
        };
        var tiers = new Option<string[]>("--tier")
        {
            Description = "Run all of this tier; may be given several times.", HelpName = "name",
        };
        var profiles = new Option<string[]>("--profile", "-p")
        {
            Description = "Run on this backend; may be given several times. Default: the first of the catalogue, which "
                + "--list shows.",
            HelpName = "name",
        };
        var rate = new Option<int?>("--rate")
        {
            Description = "An open load: operations that begin in a second, 1 to 1000000, whether or not earlier ones "
                + "have ended. Default: the scenario's own load.",
            HelpName = "n",
        };
        var duration = new Option<string?>("--duration")
        {
            Description = "How long the load lasts: 90s, 10m, 1h, 36:00:00. Default: the scenario's; with --rate 30s "
                + "where it has none.",
            HelpName = "time",
        };
        var warmUp = new Option<int?>("--warm-up")
        {
            Description = "Operations before the load that do not count. Default: the scenario's.", HelpName = "n",
        };
        var results = new Option<string?>("--results")
        {
            Description = "Where results go. Default: WORKFLOW_PERF_RESULTS, else TestResults/workflow-performance of "
                + "the checkout.",
            HelpName = "directory",
        };
        var part = new Option<string?>("--part")
        {
            Description = "Drives only this part of the load, such as 2/4, on the --service, without a verdict: "
                + "'wfperf merge' adds up the parts.",
            HelpName = "i/n",
        };
        var services = new Option<string[]>("--service")
        {
            Description = "The service that all parts load, once for each of its processes. It receives the key in "
                + $"{CataloguePart.KeyVariable}, if that is set.",
            HelpName = "url",
        };
        var startAt = new Option<string?>("--start-at")
        {
            Description = "When a part begins, by the service's clock, such as 2026-11-28T21:30:00Z. Default: when it "
                + "is prepared.",
            HelpName = "utc",
        };
        var list = new Option<bool>("--list") { Description = "List scenarios and profiles, and run nothing." };
        Offer(scenarios, all => all.Scenarios.Select(scenario => scenario.Name));
        Offer(profiles, all => all.Profiles);
        Offer(tiers, all => all.Scenarios.Select(scenario => scenario.Tier).Distinct());
        var command = new Command(
            Name,
            "Runs scenarios of an assembly and writes their results and report. Ctrl+C ends the load and keeps what "
                + "there is, marked partial; a second Ctrl+C aborts.");
        command.Add(assembly);
        Option[] options = [scenarios, tiers, profiles, rate, duration, warmUp, results, part, services, startAt, list];
        foreach (var option in options)
        {
            command.Add(option);
        }

        command.SetAction(async (parsed, cancellationToken) =>
        {
            var path = parsed.GetRequiredValue(assembly);
            var catalogue = CatalogueLoader.Load(path);
            if (parsed.GetValue(list))
            {
                await ListAsync(console, catalogue).ConfigureAwait(false);
                return ExitCode.Success;
            }

            var requests = Requests(
                catalogue, parsed.GetValue(scenarios) ?? [], parsed.GetValue(tiers) ?? [],
                parsed.GetValue(profiles) ?? []);
            requests = [.. requests.Select(request => request with
            {
                RatePerSecond = InRange("--rate", parsed.GetValue(rate), 1, 1_000_000),
                Duration = Duration(parsed.GetValue(duration)),
                WarmUpOperations = InRange("--warm-up", parsed.GetValue(warmUp), 0, 1_000_000),
            })];
            RequireLoad(catalogue, requests);
            var driven = PartOf(
                parsed.GetValue(part), parsed.GetValue(services) ?? [], parsed.GetValue(startAt), requests);
            requests = [.. requests.Select(request => request with { Command = CommandOf(path, request, driven) })];
            try
            {
                return await RunAsync(console, catalogue, requests, parsed.GetValue(results), driven, cancellationToken)
                    .ConfigureAwait(false);
            }
            catch (Exception exception) when (CatalogueLoader.IsOfLoading(exception))
            {
                throw new FormatException(CatalogueLoader.Explain(path, exception), exception);
            }
            catch (Exception exception) when (exception is ArgumentException or InvalidOperationException)
            {
                throw new FormatException(UserMessage.Of(exception), exception);
            }
        });
        return command;

        void Offer(Option<string[]> option, Func<IScenarioCatalogue, IEnumerable<string>> names) =>
            option.CompletionSources.Add(context => Names(context.ParseResult.GetValue(assembly), names));
    }

    /// <summary>What is asked for.</summary>
    /// <exception cref="FormatException">
    /// A name is none of the catalogue's; the message has the nearest ones.
    /// </exception>
    internal static IReadOnlyList<CatalogueRequest> Requests(
        IScenarioCatalogue catalogue, IReadOnlyList<string> names, IReadOnlyList<string> tiers,
        IReadOnlyList<string> profiles)
    {
        if (names.Count + tiers.Count == 0)
        {
            throw new FormatException(
                "no scenario was selected. Name a --scenario or a --tier; --list shows them.");
        }

        string[] known = [.. catalogue.Scenarios.Select(scenario => scenario.Name)];
        if (names.FirstOrDefault(name => !known.Any(one => IsLike(name, one))) is { } unknown)
        {
            throw Unknown("--scenario", unknown, known);
        }

        foreach (var tier in tiers.Except(catalogue.Scenarios.Select(scenario => scenario.Tier)))
        {
            throw Unknown("--tier", tier, catalogue.Scenarios.Select(scenario => scenario.Tier));
        }

        foreach (var profile in profiles.Except(catalogue.Profiles))
        {
            throw Unknown("--profile", profile, catalogue.Profiles);
        }

        string[] wanted = profiles.Count > 0 ? [.. profiles] : [catalogue.Profiles[0]];
        var chosen = catalogue.Scenarios.Where(scenario =>
            (names.Count == 0 || names.Any(name => IsLike(name, scenario.Name)))
            && (tiers.Count == 0 || tiers.Contains(scenario.Tier))).ToList();
        var requests = chosen.SelectMany(scenario => wanted
            .Where(scenario.Profiles.Contains).Select(profile => new CatalogueRequest(scenario, profile))).ToList();
        if (requests.Count > 0)
        {
            return requests;
        }

        throw new FormatException(chosen.Count == 0
            ? $"no scenario is both {string.Join(" or ", names)} and of {string.Join(" or ", tiers)}. "
                + "--list shows which tier each has."
            : $"{chosen[0].Name} does not run on {string.Join(" or ", wanted)}, "
                + $"only on {string.Join(", ", chosen[0].Profiles)}.");

        static bool IsLike(string pattern, string name) =>
            FileSystemName.MatchesSimpleExpression(pattern, name, ignoreCase: false);
    }

    /// <summary>
    /// The command that runs this request alone again. It leaves out where the results go and when a part begins:
    /// neither changes what is measured, and the instant has passed.
    /// </summary>
    internal static string CommandOf(string assembly, CatalogueRequest request, CataloguePart? part) => ShellCommand.Of(
    [
        "wfperf", Name, assembly, "--scenario", request.Scenario.Name, "--profile", request.Profile,
        .. Option("--rate", request.RatePerSecond),
        .. Option("--duration", request.Duration is { } time ? DurationText.Write(time) : null),
        .. Option("--warm-up", request.WarmUpOperations),
        .. Option("--part", part is null ? null : $"{part.Part.Index}/{part.Part.Of}"),
        .. (part?.Services ?? []).SelectMany(service => Option("--service", service)),
    ]);

    private static string[] Option(string name, object? value) =>
        value is null ? [] : [name, Convert.ToString(value, CultureInfo.InvariantCulture)!];

    private static FormatException Unknown(string option, string value, IEnumerable<string> known)
    {
        var near = Suggestion.Ranked(value, known.Distinct()).Take(Nearest).Select(name => $"'{name}'");
        return new FormatException(
            $"{option} '{value}' is not in the catalogue. The nearest are {string.Join(", ", near)}; "
                + "--list shows all.");
    }

    private static void RequireLoad(IScenarioCatalogue catalogue, IReadOnlyList<CatalogueRequest> requests)
    {
        var refused = requests.FirstOrDefault(request => request is { Scenario.TakesLoad: false }
            and not { RatePerSecond: null, WarmUpOperations: null, Duration: null });
        if (refused is not null)
        {
            var others = catalogue.Scenarios.Where(scenario => scenario.TakesLoad).Select(scenario => scenario.Name);
            throw new FormatException(
                $"{refused.Scenario.Name} has its own load, and takes no --rate, --duration or --warm-up. "
                + $"These do: {string.Join(", ", others)}.");
        }
    }

    /// <summary>The part that is asked for; null where the whole load is.</summary>
    /// <exception cref="FormatException">The options do not fit each other, or one of them cannot be used.</exception>
    internal static CataloguePart? PartOf(
        string? part, IReadOnlyList<string> services, string? startAt, IReadOnlyList<CatalogueRequest> requests)
    {
        if (part is null)
        {
            return services.Count == 0 && startAt is null ? null : throw new FormatException(
                "--service and --start-at are for a part of a load. Add --part, such as --part 1/1 for all of it from "
                + "this process.");
        }

        if (services.Count == 0)
        {
            throw new FormatException(
                "--part drives a service that runs already. Add --service URL, once for each of its processes.");
        }

        if (requests.Count != 1)
        {
            throw new FormatException(
                $"--part is of one scenario on one profile, and {requests.Count} were asked for. Name one --scenario "
                + "and one --profile.");
        }

        try
        {
            return new CataloguePart(LoadPart.Parse(part), [.. services.Select(ServiceAddress.Parse)])
            {
                Key = ServiceAddress.Key, StartAt = StartAt(startAt),
            };
        }
        catch (ArgumentException exception)
        {
            throw new FormatException($"--part: {exception.Message}", exception);
        }
    }

    private static DateTimeOffset? StartAt(string? value)
    {
        if (value is null)
        {
            return null;
        }

        var instant = InstantText.Read(value, "--start-at");
        var passed = TimeProvider.System.GetUtcNow() - instant;
        return passed <= TimeSpan.Zero ? instant : throw new FormatException(string.Create(
            CultureInfo.InvariantCulture,
            $"--start-at {value} passed {passed.TotalSeconds:0} s ago. Give all parts an instant by which the last of "
                + $"them is prepared, such as \"$(date -u -d '+1 minute' +%FT%TZ)\"."));
    }

    private static int? InRange(string option, int? value, int least, int most) =>
        value is null || (value >= least && value <= most)
            ? value
            : throw new FormatException(string.Create(
                CultureInfo.InvariantCulture, $"{option} is {value}. It is from {least} to {most}."));

    internal static TimeSpan? Duration(string? value) => value is null ? null
        : DurationText.Read(value, "--duration") is var duration && duration > TimeSpan.Zero
            ? duration
            : throw new FormatException($"--duration is '{value}'. It is longer than zero: {DurationText.Forms}.");

    private static async Task<int> RunAsync(
        ToolConsole console, IScenarioCatalogue catalogue, IReadOnlyList<CatalogueRequest> requests, string? results,
        CataloguePart? part, CancellationToken cancellationToken)
    {
        Action<string> print = console.Progress is ProgressTable table ? table.Print : console.Out.WriteLine;
        using var told = new RunInterruption(
            StartingProcesses.Find(),
            reason => print(
                $"wfperf: interrupted ({reason}): the load ends, and its result is kept. A second signal aborts it."),
            TimeProvider.System);
        using var interruption = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, told.Ended);
        var abort = told.GivenUp;
        var outcomes = new List<CatalogueResult>();
        string? report = null;
        var measured = new ScenarioCounts(0, 0, 0);
        try
        {
            var run = await catalogue.BeginAsync(
                new CatalogueRunOptions
                {
                    ResultsDirectory = results is null ? null : Path.GetFullPath(results),
                    Outputs = console.Progress is { } shown ? [shown] : [],
                    Abort = abort,
                    Part = part,
                },
                interruption.Token).ConfigureAwait(false);
            await using (run.ConfigureAwait(false))
            {
                foreach (var request in requests)
                {
                    var result = await run.RunAsync(request, interruption.Token).ConfigureAwait(false);
                    print(result.Summary);
                    outcomes.Add(result);
                    report = run.ReportPath;
                    measured = run.Measured;
                }
            }

            measured = run.Measured; // A verdict may have changed since.
            outcomes.AddRange(
                run.TakeLateFailures().Select(sentence => new CatalogueResult(Failed(sentence), sentence)));
        }
        catch (OperationCanceledException) when (interruption.IsCancellationRequested)
        {
            await console.Error.WriteLineAsync(abort.IsCancellationRequested
                ? "wfperf: aborted; the current measurement is lost."
                : $"wfperf: interrupted; {measured.Number()} measured"
                    + (report is null ? "." : $", and the run is marked partial. Report: {report}"))
                .ConfigureAwait(false);
            return ExitCode.Interrupted;
        }

        if (part is not null && Count(VerdictOutcome.Failed) == 0 && !interruption.IsCancellationRequested)
        {
            print($"Part {part.Part} is measured, and has no verdict: 'wfperf merge' judges all parts together. "
                + $"Result: {report}");
            return ExitCode.Success;
        }

        var unavailable = outcomes.Count(result => result.Outcome is null);
        var ended = outcomes.Count(result => result is { Outcome: not null, IsMeasured: false });
        print($"{measured}"
            + (unavailable == 0 ? "" : $"; {unavailable} not available")
            + (ended == 0 ? "" : $"; {ended} ended without a result")
            + (interruption.IsCancellationRequested ? ", interrupted: the results are partial" : "")
            + (report is null ? "" : $". Report: {report}"));
        return interruption.IsCancellationRequested ? ExitCode.Interrupted
            : Count(VerdictOutcome.Failed) > 0 ? ExitCode.Findings
            : outcomes.Any(result => result.Outcome is null) ? ExitCode.BadInput
            : Count(VerdictOutcome.Inconclusive) > 0 ? ExitCode.Inconclusive
            : ExitCode.Success;

        int Count(VerdictOutcome outcome) => outcomes.Count(result => result.Outcome == outcome);

        VerdictOutcome Failed(string sentence)
        {
            print(sentence);
            return VerdictOutcome.Failed;
        }
    }

    private static async Task ListAsync(ToolConsole console, IScenarioCatalogue catalogue)
    {
        await console.Out.WriteLineAsync($"profiles: {string.Join(", ", catalogue.Profiles)}").ConfigureAwait(false);
        foreach (var tier in catalogue.Scenarios.GroupBy(scenario => scenario.Tier))
        {
            await console.Out.WriteLineAsync($"\n{tier.Key}").ConfigureAwait(false);
            var width = tier.Max(scenario => scenario.Name.Length);
            foreach (var scenario in tier)
            {
                var hint = scenario.TakesLoad ? " (takes --rate)" : "";
                await console.Out.WriteLineAsync($"  {scenario.Name.PadRight(width)}  {scenario.Question}{hint}")
                    .ConfigureAwait(false);
            }
        }
    }

    /// <summary>Names for a shell, which shows no error while somebody types.</summary>
    private static List<string> Names(string? assembly, Func<IScenarioCatalogue, IEnumerable<string>> names)
    {
        try
        {
            return assembly is null ? [] : [.. names(CatalogueLoader.Load(assembly))];
        }
        catch (FormatException)
        {
            // Without the right assembly there is nothing to choose from. Running the command says what is wrong.
            return [];
        }
    }
}
