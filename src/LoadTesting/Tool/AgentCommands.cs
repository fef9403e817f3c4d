using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Text.Json;
using LoadTesting.Core.Agents;
using LoadTesting.Core.Http;
using LoadTesting.Core.Load;

namespace LoadTesting.Tool;

/// <summary><c>wfperf agent</c> and <c>wfperf coordinate</c>: one load of several processes, on this machine or on several.</summary>
internal static class AgentCommands
{
    internal const string TokenVariable = "WFPERF_TOKEN";

    private const int DefaultPort = 7420;

    public static Command Agent(ToolConsole console)
    {
        var coordinator = new Argument<string>("coordinator") { Description = "host:port of 'wfperf coordinate'." };
        var name = new Option<string?>("--name")
        {
            Description = "What errors and results call it. Default: machine and process.", HelpName = "name",
        };
        var command = new Command("agent", $"Makes a part of the load that a coordinator divides. The token is in {TokenVariable}.");
        command.Add(coordinator);
        command.Add(name);
        command.SetAction(async (parsed, cancellationToken) =>
        {
            var (host, port) = Address(parsed.GetRequiredValue(coordinator));
            var options = new AgentOptions { Host = host, Port = port, Token = Token() };
            options = parsed.GetValue(name) is { } given ? options with { Name = given } : options;
            return await TryAsync(console, async () =>
            {
                await LoadAgent.RunAsync(options, text => [HttpLoad.Parse(text).ToScenario()], cancellationToken).ConfigureAwait(false);
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
            var (host, port) = Address(parsed.GetRequiredValue(listen));
            var options = new CoordinatorOptions
            {
                Agents = parsed.GetValue(agents), Token = Token(),
                Listen = IPAddress.TryParse(host, out var address)
                    ? new IPEndPoint(address, port)
                    : throw new FormatException($"--listen: '{host}' is no IP address; use 0.0.0.0 for all of this machine."),
            };
            return await TryAsync(console, () => RunAsync(console, options, load, cancellationToken)).ConfigureAwait(false);
        });
        return command;
    }

    private static async Task<int> RunAsync(
        ToolConsole console, CoordinatorOptions options, HttpLoad load, CancellationToken cancellationToken)
    {
        var whole = load.ToScenario();
        using var coordinator = new AgentCoordinator(options);
        await console.Error.WriteLineAsync($"Waiting for {options.Agents} agents on {options.Listen.Address}:{coordinator.Port}.")
            .ConfigureAwait(false);
        var run = await coordinator.RunAsync(load.ToString(), [whole], cancellationToken).ConfigureAwait(false);
        var stats = run.Load.Scenarios[0];
        var (ok, latency) = (stats.Ok.Count, LatencyResult.From(stats.Ok.Latency));
        await console.Out.WriteLineAsync(string.Create(CultureInfo.InvariantCulture,
            $"{stats.Name}: requested {stats.Requested}, ok {ok}, failed {stats.Fail.Count}, dropped {stats.Dropped}, unfinished "
            + $"{stats.Unfinished}; {stats.ThroughputPerSecond:0.0}/s, p50 {latency.P50Ms:0.00} ms, p95 {latency.P95Ms:0.00} ms, "
            + $"p99 {latency.P99Ms:0.00} ms, max {latency.MaxMs:0.00} ms")).ConfigureAwait(false);
        foreach (var agent in run.Agents)
        {
            await console.Out.WriteLineAsync(string.Create(CultureInfo.InvariantCulture,
                $"  {agent.Name} on {agent.Host}: requested {agent.Requested}, clock {agent.ClockDifferenceMs:+0.000;-0.000} ms "
                + $"(to within {agent.ClockErrorMs:0.000}), started {agent.StartedLateMs:0.000} ms late")).ConfigureAwait(false);
        }

        string[] wrong =
        [
            .. stats.Thresholds.Where(threshold => threshold.Outcome != ThresholdOutcome.Passed)
                .Select(threshold => threshold.ToString()),
            .. stats.Errors.Select(error => $"{error.Count} x {error.Code} {error.Message}"),
            .. stats.StopReason is { } reason ? [$"the load ended before its time: {reason}"] : Array.Empty<string>(),
        ];
        var bound = run.Load.Health.Evidence.Select(evidence => $"generator: {evidence.Text}");
        foreach (var line in wrong.Concat(bound))
        {
            await console.Out.WriteLineAsync($"  ! {line}").ConfigureAwait(false);
        }

        return wrong.Length > 0 ? ExitCode.Findings
            : run.Load.Health.Verdict == GeneratorVerdict.Bound ? ExitCode.Inconclusive
            : ExitCode.Success;
    }

    private static async Task<int> TryAsync(ToolConsole console, Func<Task<int>> run)
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

    private static string Token() => Environment.GetEnvironmentVariable(TokenVariable) is { Length: > 0 } token
        ? token
        : throw new FormatException($"{TokenVariable} is not set; give coordinator and agents the same, e.g. from: openssl rand -hex 32");

    private static Uri UrlOf(string text) =>
        Uri.TryCreate(text, UriKind.Absolute, out var address) && address.Scheme is "http" or "https"
            ? address
            : throw new FormatException($"{text}: is no address that begins with http:// or https://.");

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

    public static HttpLoad Parse(string text) => JsonSerializer.Deserialize<HttpLoad>(text)!;

    public override string ToString() => JsonSerializer.Serialize(this);

    /// <exception cref="ArgumentException">The load is none, or two.</exception>
    public ScenarioProps ToScenario()
    {
        var request = Json is null
            ? PreparedRequest.Get(Url.PathAndQuery)
            : PreparedRequest.Post(Url.PathAndQuery, Encoding.UTF8.GetBytes(Json), "application/json");
        foreach (var header in Headers)
        {
            var colon = header.IndexOf(':', StringComparison.Ordinal);
            request = colon > 0
                ? request.WithHeader(header[..colon], Expanded(header[(colon + 1)..].Trim()))
                : throw new ArgumentException($"--header '{header}' is no 'Name: value'.");
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
