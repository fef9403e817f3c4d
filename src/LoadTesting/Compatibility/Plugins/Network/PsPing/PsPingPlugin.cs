using System.Data;
using System.Diagnostics;
using System.Net.Sockets;
using LoadTesting.Contracts;
using LoadTesting.Contracts.Stats;
using Microsoft.Extensions.Configuration;

namespace LoadTesting.Plugins.Network.PsPing;

/// <summary>What is connected to. Also the section <c>PsPingPlugin</c> of the infrastructure configuration.</summary>
public sealed class PsPingPluginConfig
{
    public Uri[] Hosts { get; set; } = [];

    /// <summary>Milliseconds. Default 1,000.</summary>
    public int Timeout { get; set; } = 1_000;

    public static PsPingPluginConfig CreateDefault(params string[] hosts) =>
        new() { Hosts = [.. hosts.Select(host => new Uri(host))] };

    public static PsPingPluginConfig CreateDefault(IEnumerable<string> hosts) => CreateDefault([.. hosts]);
}

/// <summary>
/// Opens a TCP connection to each host once before the load starts, and adds a table of the times to the reports.
/// </summary>
public sealed class PsPingPlugin(PsPingPluginConfig pluginConfig) : IWorkerPlugin
{
    private const double LongRoundTripMs = 2;

    private readonly List<(Uri Host, string Status, double? Ms)> _replies = [];

    public PsPingPlugin()
        : this(PsPingPluginConfig.CreateDefault())
    {
    }

    public string PluginName => "NBomber.Plugins.Network.PsPingPlugin";

    public async Task Init(IBaseContext context, IConfiguration infraConfig)
    {
        ArgumentNullException.ThrowIfNull(context);
        var config = infraConfig?.GetSection("PsPingPlugin").Get<PsPingPluginConfig>() ?? pluginConfig;
        foreach (var host in config.Hosts)
        {
            try
            {
                using var timeout = new CancellationTokenSource(config.Timeout);
                using var socket = new Socket(SocketType.Stream, ProtocolType.Tcp);
                var start = Stopwatch.GetTimestamp();
                await socket.ConnectAsync(host.Host, host.Port, timeout.Token).ConfigureAwait(false);
                _replies.Add((host, "Connected", Stopwatch.GetElapsedTime(start).TotalMilliseconds));
            }
            catch (Exception exception)
            {
                context.Logger.Error(exception, "Host {Host} cannot be connected to", host);
                _replies.Add((host, exception is OperationCanceledException ? "TimedOut" : exception.Message, null));
            }
        }
    }

    public Task<DataSet> GetStats(NodeStats stats)
    {
        var table = new DataTable(PluginName) { Locale = CultureInfo.InvariantCulture };
        table.Columns.AddRange([.. new[] { "Host", "Port", "Status", "Address", "RoundTripTime" }
            .Select(name => new DataColumn(name, typeof(string)))]);
        foreach (var (host, status, ms) in _replies)
        {
            table.Rows.Add(
                host.Host, $"{host.Port}", status, $"{host}",
                ms is { } time ? time.ToString("0.## ms", CultureInfo.InvariantCulture) : "");
        }

        var set = new DataSet { Locale = CultureInfo.InvariantCulture };
        set.Tables.Add(table);
        return Task.FromResult(set);
    }

    public string[] GetHints() =>
    [
        .. _replies.Where(reply => reply.Ms > LongRoundTripMs).Select(reply => string.Create(
            CultureInfo.InvariantCulture, $"It takes {reply.Ms:0.#} ms to connect to '{reply.Host}'; run nearer to it.")),
    ];

    public Task Stop() => Task.CompletedTask;

    public void Dispose() => _replies.Clear();
}
