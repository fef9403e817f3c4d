using System.Net;
using System.Net.Sockets;
using System.Reflection;
using System.Security.Cryptography;
using LoadTesting.Core.Agents;
using LoadTesting.Core.Http;
using LoadTesting.Core.Load;
using LoadTesting.Core.Reporting;
using LoadTesting.Core.Reporting.Live;

namespace LoadTesting.Tool;

/// <summary><c>wfperf agent</c> and <c>wfperf coordinate</c>: one load of several processes, on this machine or on several.</summary>
internal static class AgentCommands
{
    internal const string TokenVariable = "WFPERF_TOKEN";

    internal const int DefaultPort = 7420;

    public static Command Agent(ToolConsole console)
    {
        var coordinator = new Argument<string>("coordinator")
        {
            Description = "host:port of 'wfperf coordinate', or of 'wfperf run --agents --listen'.",
        };
        var assembly = new Argument<string?>("assembly")
        {
            Description = "The assembly that 'wfperf run' runs, the same build; none for 'wfperf coordinate'.",
            Arity = ArgumentArity.ZeroOrOne,
        };
        var name = new Option<string?>("--name")
        {
            Description = "What errors and results call it. Default: machine and process.", HelpName = "name",
        };
        var command = new Command("agent", $"Makes a part of the loads that a coordinator divides. The token is in {TokenVariable}.");
        command.Add(coordinator);
        command.Add(assembly);
        command.Add(name);
        command.SetAction(async (parsed, cancellationToken) =>
        {
            var (host, port) = Address(parsed.GetRequiredValue(coordinator));
            var options = new AgentOptions { Host = host, Port = port, Token = Token() };
            options = parsed.GetValue(name) is { } given ? options with { Name = given } : options;
            var catalogue = parsed.GetValue(assembly) is { } path ? CatalogueLoader.Load(path) : null;
            return await TryAsync(console, async () =>
            {
                await (catalogue is null
                    ? LoadAgent.RunAsync(options, text => [HttpLoad.Parse(text).ToScenario()], cancellationToken)
                    : LoadAgent.RunAsync(options, catalogue.PrepareAsync, cancellationToken)).ConfigureAwait(false);
                return ExitCode.Success;
            }).ConfigureAwait(false);
        });
        return command;
    }

    public static Command Coordinate(ToolConsole console)
    {
        var url = new Argument<string>("url") { Description = "What every request goes to." };
        var agents = new Option<int>("--agents") { Description = "Agents that share the load.", HelpName = "n", Required = true };
        var listen = new Option<string>("--listen")
        {
            Description = "Address and port for agents; 0.0.0.0 for those of other machines.", HelpName = "ip:port",
            DefaultValueFactory = _ => $"127.0.0.1:{DefaultPort}",
        };
        var users = new Option<int>("--users") { Description = "Closed load: requests at a time, over all agents.", HelpName = "n" };
        var rate = new Option<int>("--rate") { Description = "Open load: requests a second, over all agents.", HelpName = "n" };
        var requests = new Option<long>("--requests") { Description = "Ends after so many, over all agents.", HelpName = "n" };
        var seconds = new Option<int>("--seconds") { Description = "Ends after this time.", HelpName = "s" };
        var ramp = new Option<int>("--ramp") { Description = "Rises from nothing for this time before.", HelpName = "s" };
        var post = new Option<string?>("--post") { Description = "Posts this JSON instead of a GET; @file reads it.", HelpName = "json" };
        var headers = new Option<string[]>("--header")
        {
            Description = "A header; where its value is $NAME, each agent reads it from its environment.", HelpName = "name: value",
        };
        var command = new Command(
            "coordinate", $"Divides a load among agents and adds up what they measure. The token is in {TokenVariable}.");
        command.Add(url);
        foreach (var option in new Option[] { agents, listen, users, rate, requests, seconds, ramp, post, headers })
        {
            command.Add(option);
        }

        command.SetAction(async (parsed, cancellationToken) =>
        {
            var load = new HttpLoad(UrlOf(parsed.GetRequiredValue(url)))
            {
                Users = parsed.GetValue(users), Rate = parsed.GetValue(rate), Requests = parsed.GetValue(requests),
                Seconds = parsed.GetValue(seconds), RampSeconds = parsed.GetValue(ramp),
                Headers = parsed.GetValue(headers) ?? [],
                Json = parsed.GetValue(post) is ['@', .. var file]
                    ? await File.ReadAllTextAsync(file, cancellationToken).ConfigureAwait(false)
                    : parsed.GetValue(post),
            };
            var options = new CoordinatorOptions
            {
                Listen = EndPoint(parsed.GetRequiredValue(listen)), Agents = parsed.GetValue(agents), Token = Token(),
                Refused = sentence => Refused(console, sentence),
            };
            return await TryAsync(console, () => RunAsync(console, options, load, cancellationToken)).ConfigureAwait(false);
        });
        return command;
    }

    private static async Task<int> RunAsync(
        ToolConsole console, CoordinatorOptions options, HttpLoad load, CancellationToken cancellationToken)
    {
        var whole = load.ToScenario(sends: false);
        var coordinator = new AgentCoordinator(options);
        await using var ends = coordinator.ConfigureAwait(false);
        await console.Error.WriteLineAsync($"Waiting for {options.Agents} agents on {options.Listen.Address}:{coordinator.Port}.")
            .ConfigureAwait(false);
        var run = await ShownAsync(console, coordinator, load.ToString(), whole, cancellationToken).ConfigureAwait(false);
        var stats = run.Scenarios[0];
        var (ok, latency) = (stats.Ok.Count, LatencyResult.From(stats.Ok.Latency));
        await console.Out.WriteLineAsync(string.Create(CultureInfo.InvariantCulture,
            $"{stats.Name}: requested {stats.Requested}, ok {ok}, failed {stats.Fail.Count}, dropped {stats.Dropped}, unfinished "
            + $"{stats.Unfinished}; {stats.ThroughputPerSecond:0.0}/s, p50 {latency.P50Ms:0.00} ms, p95 {latency.P95Ms:0.00} ms, "
            + $"p99 {latency.P99Ms:0.00} ms, max {latency.MaxMs:0.00} ms")).ConfigureAwait(false);
        foreach (var agent in run.Agents)
        {
            await console.Out.WriteLineAsync($"  {TerminalSummary.AgentLine(agent)}").ConfigureAwait(false);
        }

        string[] wrong =
        [
            .. stats.Thresholds.Where(threshold => threshold.Outcome != ThresholdOutcome.Passed)
                .Select(threshold => threshold.ToString()),
            .. stats.Errors.Select(error => $"{error.Count} x {error.Code} {error.Message}"),
            .. stats.StopReason is { } reason ? [$"the load ended before its time: {reason}"] : Array.Empty<string>(),
        ];
        var bound = run.Health.Evidence.Select(evidence => $"generator: {evidence.Text}");
        foreach (var line in wrong.Concat(bound))
        {
            await console.Out.WriteLineAsync($"  ! {line}").ConfigureAwait(false);
        }

        return wrong.Length > 0 ? ExitCode.Findings
            : run.Health.Verdict == GeneratorVerdict.Bound ? ExitCode.Inconclusive
            : ExitCode.Success;
    }

    /// <summary>Runs it, and shows it until it is over.</summary>
    private static async Task<LoadResult> ShownAsync(
        ToolConsole console, AgentCoordinator coordinator, string description, ScenarioProps whole, CancellationToken cancellationToken)
    {
        using var metrics = new LoadMetrics();
        var progress = new RunProgress(metrics);
        using var display = new ProgressDisplay(progress, console.Progress is { } shown ? [shown] : []);
        progress.Enter(RunStage.Preparing, whole.ScenarioName);
        var running = coordinator.RunAsync(description, [whole], cancellationToken, metrics);
        if (await Task.WhenAny(running, coordinator.Begun).ConfigureAwait(false) != running)
        {
            progress.Enter(RunStage.Measuring);
        }

        return await running.ConfigureAwait(false);
    }

    internal static async Task<int> TryAsync(ToolConsole console, Func<Task<int>> run)
    {
        try
        {
            return await run().ConfigureAwait(false);
        }
        catch (AgentException exception)
        {
            await console.Error.WriteLineAsync($"wfperf: {exception.Message}").ConfigureAwait(false);
            return ExitCode.Findings;
        }
        catch (Exception exception) when (exception is ArgumentException or SocketException)
        {
            throw new FormatException(exception.Message, exception);
        }
    }

    internal static void Refused(ToolConsole console, string sentence) => console.Error.WriteLine($"wfperf: {sentence}");

    internal static string Token() => Environment.GetEnvironmentVariable(TokenVariable) is { Length: > 0 } token
        ? token
        : throw new FormatException($"{TokenVariable} is not set; give coordinator and agents the same, e.g. from: openssl rand -hex 32");

    private static Uri UrlOf(string text) =>
        Uri.TryCreate(text, UriKind.Absolute, out var address) && address.Scheme is "http" or "https"
            ? address
            : throw new FormatException($"{text}: is no address that begins with http:// or https://.");

    internal static IPEndPoint EndPoint(string listen) => Address(listen) is var (host, port) && IPAddress.TryParse(host, out var address)
        ? new IPEndPoint(address, port)
        : throw new FormatException($"--listen: '{listen}' has no IP address; use 0.0.0.0 for all of this machine.");

    private static (string Host, int Port) Address(string text) =>
        text.LastIndexOf(':') is > 0 and var colon
            && int.TryParse(text.AsSpan(colon + 1), NumberStyles.None, CultureInfo.InvariantCulture, out var port)
            && port <= ushort.MaxValue
            ? (text[..colon], port)
            : throw new FormatException($"'{text}' is no host:port, such as 10.0.0.7:{DefaultPort}.");
}

/// <summary>A load of one request, as coordinator and agents both know it.</summary>
internal sealed record HttpLoad(Uri Url)
{
    public int Users { get; init; }
    public int Rate { get; init; }
    public long Requests { get; init; }
    public int Seconds { get; init; }
    public int RampSeconds { get; init; }
    public string? Json { get; init; }
    public IReadOnlyList<string> Headers { get; init; } = [];

    /// <exception cref="NotSupportedException">It is a scenario of a catalogue, which this agent has none of.</exception>
    public static HttpLoad Parse(string text) => JsonSerializer.Deserialize<HttpLoad>(text) is { Url: not null } load
        ? load
        : throw new NotSupportedException(
            "the run is of an assembly's scenarios, and this agent was started without: wfperf agent HOST:PORT ASSEMBLY");

    public override string ToString() => JsonSerializer.Serialize(this);

    /// <param name="sends">False for the coordinator, which needs no variable that a header names.</param>
    /// <exception cref="ArgumentException">The load is none, or two; or a variable that a header names is not set.</exception>
    public ScenarioProps ToScenario(bool sends = true)
    {
        var request = Json is null
            ? PreparedRequest.Get(Url.PathAndQuery)
            : PreparedRequest.Post(Url.PathAndQuery, Encoding.UTF8.GetBytes(Json), "application/json");
        foreach (var header in Headers)
        {
            var colon = header.IndexOf(':', StringComparison.Ordinal);
            var value = colon > 0
                ? header[(colon + 1)..].Trim()
                : throw new ArgumentException($"--header '{header}' is no 'Name: value'.");
            request = request.WithHeader(header[..colon], sends ? Expanded(value) : value);
        }

        var sender = HttpSender.Lean(new Uri(Url.GetLeftPart(UriPartial.Authority)));
        return Scenario.Create(Url.AbsolutePath, async context => (await sender.SendAsync(context, request).ConfigureAwait(false)).Response)
            .WithLoadSimulations(Load())
            .WithThresholds(Threshold.AtMost("failed", 0), Threshold.AtMost("dropped", 0))
            .WithClean(_ =>
            {
                sender.Dispose();
                return Task.CompletedTask;
            });
    }

    private LoadSimulation[] Load()
    {
        var (second, seconds, ramp) = (TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(Seconds), TimeSpan.FromSeconds(RampSeconds));
        LoadSimulation[] rise = RampSeconds == 0 ? []
            : [Rate > 0 ? Simulation.RampingInject(Rate, second, ramp) : Simulation.RampingConstant(Users, ramp)];
        return (Users, Rate, Requests, Seconds) switch
        {
            ( > 0, 0, 0, > 0) => [.. rise, Simulation.KeepConstant(Users, seconds)],
            ( > 0, 0, > 0, 0) when rise.Length == 0 => [Simulation.IterationsForConstant(Users, Requests)],
            (0, > 0, 0, > 0) => [.. rise, Simulation.Inject(Rate, second, seconds)],
            (0, > 0, > 0, 0) => [.. rise, Simulation.IterationsForInject(Rate, second, Requests)],
            _ => throw new ArgumentException(
                "Give --users or --rate, and --seconds or --requests, one of each; --users with --requests has no --ramp."),
        };
    }

    /// <summary>A key comes from the environment of the agent, not over the wire.</summary>
    private static string Expanded(string value) => !value.StartsWith('$') ? value
        : Environment.GetEnvironmentVariable(value[1..])
            ?? throw new ArgumentException($"The environment of this agent has no {value[1..]}.");
}

/// <summary>The agents of a run: processes of this tool on this machine, or those that somebody else starts.</summary>
internal sealed class RunAgents : IAsyncDisposable
{
    private const string OwnSession = "/usr/bin/setsid";
    private static readonly TimeSpan Ending = TimeSpan.FromSeconds(10);

    private readonly string _assembly;
    private readonly string _token;
    private readonly bool _areStartedHere;
    private readonly List<(string Name, Process Process, Task<string> Errors)> _processes = [];

    private RunAgents(string assembly, AgentCoordinator coordinator, string token, bool areStartedHere) =>
        (_assembly, Coordinator, _token, _areStartedHere) = (assembly, coordinator, token, areStartedHere);

    public AgentCoordinator Coordinator { get; }

    /// <summary>Null where the run has no agents.</summary>
    /// <param name="console">Is given who is refused.</param>
    /// <param name="assembly">What they run scenarios of.</param>
    /// <param name="agents">How many.</param>
    /// <param name="listen">Where agents come to that somebody else starts; null: this run starts its own.</param>
    /// <exception cref="FormatException">The options do not fit each other, or the address cannot be used.</exception>
    public static RunAgents? Of(ToolConsole console, string assembly, int? agents, string? listen)
    {
        if (agents is not { } number)
        {
            return listen is null ? null : throw new FormatException("--listen is for agents, and there are none: add --agents N.");
        }

        var address = listen is null ? new IPEndPoint(IPAddress.Loopback, 0) : AgentCommands.EndPoint(listen);
        if (address.Address.Equals(IPAddress.Any) || address.Address.Equals(IPAddress.IPv6Any))
        {
            throw new FormatException(
                $"--listen {listen}: agents have to reach the service under test there too. Name the address by which they reach this "
                + $"machine, e.g. 10.0.0.7:{AgentCommands.DefaultPort}.");
        }

        var token = listen is null ? Convert.ToHexString(RandomNumberGenerator.GetBytes(16)) : AgentCommands.Token();
        try
        {
            return new RunAgents(
                Path.GetFullPath(assembly),
                new AgentCoordinator(new()
                {
                    Agents = number, Token = token, Listen = address, PrepareTimeout = TimeSpan.FromMinutes(10),
                    JoinTimeout = TimeSpan.FromMinutes(2), SilenceTimeout = TimeSpan.FromSeconds(30),
                    Refused = sentence => AgentCommands.Refused(console, sentence),
                }),
                token, listen is null);
        }
        catch (Exception exception) when (exception is ArgumentException or SocketException)
        {
            throw new FormatException($"--agents: {exception.Message}", exception);
        }
    }

    /// <summary>Starts those that are this run's own, and waits until all have come.</summary>
    /// <exception cref="AgentException">They have not in time, or one has ended instead; the message names it.</exception>
    public async Task GatherAsync(ToolConsole console, CancellationToken cancellationToken)
    {
        var number = Coordinator.Options.Agents;
        if (!_areStartedHere)
        {
            await console.Error.WriteLineAsync(
                $"Waiting for {number} agents: wfperf agent {Coordinator.Options.Listen.Address}:{Coordinator.Port} {_assembly}")
                .ConfigureAwait(false);
        }

        for (var place = 1; _areStartedHere && place <= number; place++)
        {
            _processes.Add(Start($"agent-{place}"));
        }

        using var stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var gathering = Coordinator.GatherAsync(stop.Token);
        var ended = _processes.Select(agent => agent.Process.WaitForExitAsync(stop.Token)).ToList();
        if (await Task.WhenAny(ended.Prepend(gathering)).ConfigureAwait(false) is var first && first != gathering)
        {
            await stop.CancelAsync().ConfigureAwait(false);
            await gathering.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            cancellationToken.ThrowIfCancellationRequested();
            var agent = _processes[ended.IndexOf(first)];
            throw new AgentException(
                $"Agent '{agent.Name}' ended with {agent.Process.ExitCode} before it came: {await agent.Errors.ConfigureAwait(false)}");
        }

        await gathering.ConfigureAwait(false);
    }

    /// <summary>Those that did not end as they should, a sentence each, with what they wrote.</summary>
    public async Task<IReadOnlyList<string>> EndAsync()
    {
        await Coordinator.DisposeAsync().ConfigureAwait(false);
        var sentences = new List<string>();
        foreach (var (name, process, errors) in _processes)
        {
            using var limit = new CancellationTokenSource(Ending);
            try
            {
                await process.WaitForExitAsync(limit.Token).ConfigureAwait(false);
            }
            catch (OperationCanceledException)
            {
                sentences.Add($"agent '{name}' did not end by itself within {Ending.TotalSeconds:0} s, and was killed");
                process.Kill();
                continue;
            }

            // One that failed has said so to the coordinator, and those beside it ended with it.
            if (process.ExitCode is not (ExitCode.Success or ExitCode.Findings))
            {
                sentences.Add($"agent '{name}' ended with {process.ExitCode}: {(await errors.ConfigureAwait(false)).Trim()}");
            }
        }

        return sentences;
    }

    public ValueTask DisposeAsync()
    {
        _processes.ForEach(agent => agent.Process.Dispose());
        return Coordinator.DisposeAsync();
    }

    /// <summary>In a session of its own, where the system can do that: Ctrl+C is the run's, which interrupts its agents in order.</summary>
    private (string, Process, Task<string>) Start(string name)
    {
        string[] command =
        [
            EmptyService.DotnetHost(), Assembly.GetExecutingAssembly().Location, "agent", $"127.0.0.1:{Coordinator.Port}", _assembly,
            "--name", name,
        ];
        command = OperatingSystem.IsLinux() && File.Exists(OwnSession) ? [OwnSession, .. command] : command;
        var start = new ProcessStartInfo(command[0], command.Skip(1))
        {
            RedirectStandardInput = true, RedirectStandardOutput = true, RedirectStandardError = true,
        };
        start.Environment[AgentCommands.TokenVariable] = _token;
        var process = Process.Start(start)!;
        process.OutputDataReceived += (_, _) => { };
        process.BeginOutputReadLine();
        return (name, process, process.StandardError.ReadToEndAsync());
    }
}
