using LoadTesting.Core.Http;
using LoadTesting.Core.Http.Streams;
using LoadTesting.Core.Load.Events;
using LoadTesting.Core.Load.Watches;

namespace PerformanceTesting.Subjects.Streams;

/// <summary>
/// The web service as a child process, with many clients of its event stream. Its metrics are scraped into the timeline
/// every 5 s.
/// </summary>
public sealed class StreamSubject : IMeasuredSystem, ITimelineSource
{
    /// <summary>Definitions that get new versions by turns, as the published suite has projects.</summary>
    internal const int Projects = 100;

    private const int MostWarmUpClients = 32;
    private const int OtherConnections = 1_000;

    /// <summary>A little less than 5 s, as it is asked for once a second.</summary>
    private static readonly TimeSpan ScrapeInterval = TimeSpan.FromSeconds(4.9);

    private static readonly string[] Scraped =
        ["process_", "dotnet_", "workflow_event_streams", "workflow_pending_", "workflow_unpublished_"];

    private static readonly PreparedRequest Register = PreparedRequest.Post("/definitions", default).KeepingBody();

    private readonly WebServiceProcess _service;
    private readonly HttpSender _sender;
    private readonly int _clients;
    private string _project = "warm-up";
    private int _warmUps;
    private (long Lost, long Duplicate) _warmUpDeliveries;
    private long _scraped;

    private StreamSubject(WebServiceProcess service, string profile, int clients)
    {
        (_service, _clients, Profile) = (service, clients, profile);
        _sender = HttpSender.Lean(service.BaseAddress);
        Streams = NewStreams(Math.Min(clients, MostWarmUpClients));
    }

    /// <summary>The backend combination.</summary>
    public string Profile { get; }

    public HostingKind Hosting => HostingKind.Http;

    public int ProcessId => _service.ProcessId;

    /// <summary>Nothing is awaited by key: <see cref="FanOut"/> has the account.</summary>
    public EventAwaiter Awaiter { get; } = new();

    public IReadOnlyList<KeyValuePair<string, LatencyHistogram>> ServerSplit => [];

    public (long Lost, long Duplicate) WarmUpDeliveries => _warmUpDeliveries;

    /// <summary>Those that are open: first some to warm up, then the measured ones.</summary>
    public EventStreams Streams { get; private set; }

    /// <summary>Starts the service, and opens some streams to warm up.</summary>
    /// <param name="profile">The backend combination.</param>
    /// <param name="clients">Event streams that are to be open.</param>
    /// <param name="settings">Of the service, for its backend.</param>
    /// <exception cref="InvalidOperationException">The operating system does not allow this many streams.</exception>
    public static async Task<StreamSubject> StartAsync(
        string profile, int clients, IReadOnlyDictionary<string, string> settings, CancellationToken cancellationToken)
    {
        new StreamLimits().Check(clients);
        var options = new WebServiceOptions
        {
            Settings = new Dictionary<string, string>(settings)
            {
                ["IntegrationEvents:Definitions"] = "true",
                ["Limits:MaxConnections"] = (clients + OtherConnections).ToString(CultureInfo.InvariantCulture),
                ["Limits:MaxDefinitions"] = "1000000",
                ["Limits:MaxDefinitionsSize"] = "1073741824",
            },
        };
        var subject =
            new StreamSubject(await WebServiceProcess.StartAsync(options, cancellationToken), profile, clients);
        try
        {
            await subject.Streams.OpenAsync(cancellationToken);
            return subject;
        }
        catch
        {
            await subject.DisposeAsync();
            throw;
        }
    }

    public void BeginMeasuring() => _project = "project";

    /// <summary>Closes the streams that warmed up, and opens the measured ones.</summary>
    public Task OpenAsync(CancellationToken cancellationToken) => ReopenAsync(_clients, cancellationToken);

    /// <summary>
    /// Brings a load again and again until this process and the service's are warm, each time to streams and
    /// definitions that are new.
    /// </summary>
    public async Task WarmUpAsync(Func<Task> loadAsync)
    {
        await WarmUpRule.RepeatAsync(LoadAnewAsync);
        await WarmUpRule.RepeatAsync(() => ServiceTimes.ReadAsync([_service.Client]), LoadAnewAsync);

        async Task LoadAnewAsync()
        {
            _project = string.Create(CultureInfo.InvariantCulture, $"warm-up{++_warmUps}");
            await ReopenAsync(Streams.Clients, CancellationToken.None);
            await loadAsync();
        }
    }

    /// <summary>Registers the next version of a definition, which the service publishes.</summary>
    /// <exception cref="HttpRequestException">There is no answer; what became of the request is not known.</exception>
    public async Task<HttpReply> PublishAsync(IScenarioContext context, long number)
    {
        var body = Encoding.UTF8.GetBytes(string.Create(CultureInfo.InvariantCulture, $$"""
            { "name": "{{_project}}-{{number % Projects}}", "version": {{(number / Projects) + 1}}, "start": "done",
              "steps": { "done": { "type": "end" } } }
            """));
        var reply = await _sender.SendAsync(context, Register, body);
        return reply.Fault == HttpFault.None
            ? reply
            : throw new HttpRequestException($"POST {Register.Target}: {reply.Response.StatusCode}: {reply.Detail}");
    }

    /// <summary>Versions of all definitions that the service has.</summary>
    public async Task<long> CountVersionsAsync(CancellationToken cancellationToken) =>
        (await _service.Client.ListDefinitionsAsync(cancellationToken)).Count;

    public async ValueTask<TimelineReading> ReadAsync(CancellationToken cancellationToken)
    {
        if (_scraped != 0 && Stopwatch.GetElapsedTime(_scraped) < ScrapeInterval)
        {
            return new TimelineReading();
        }

        _scraped = Stopwatch.GetTimestamp();
        return new TimelineReading { Metrics = Parse(await _service.Client.GetMetricsAsync(cancellationToken)) };
    }

    public async ValueTask DisposeAsync()
    {
        await Streams.DisposeAsync();
        _sender.Dispose();
        await _service.DisposeAsync();
        Awaiter.Dispose();
    }

    /// <summary>The samples without labels of a page of metrics that say how the process and its streams are.</summary>
    internal static IReadOnlyDictionary<string, double> Parse(string page) => MetricsPage.Read(page)
        .Where(sample => Array.Exists(Scraped, start => sample.Key.StartsWith(start, StringComparison.Ordinal)))
        .ToDictionary(StringComparer.Ordinal);

    private async Task ReopenAsync(int clients, CancellationToken cancellationToken)
    {
        // Only streams that warm up are ever replaced.
        var counts = Streams.Result().Counts;
        _warmUpDeliveries = (_warmUpDeliveries.Lost + counts.Lost, _warmUpDeliveries.Duplicate + counts.Doubled);
        await Streams.DisposeAsync();
        Streams = NewStreams(clients);
        await Streams.OpenAsync(cancellationToken);
    }

    private EventStreams NewStreams(int clients) =>
        new(_service.BaseAddress, "/events", clients, new RegistrationReader(_project));
}
