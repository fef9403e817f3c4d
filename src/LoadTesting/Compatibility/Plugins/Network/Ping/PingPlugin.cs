using System.Data;
using System.Net.NetworkInformation;
using LoadTesting.Contracts;
using LoadTesting.Contracts.Stats;
using Microsoft.Extensions.Configuration;

namespace LoadTesting.Plugins.Network.Ping;

/// <summary>Pings hosts once before the load starts, and adds a table of the answers to the reports.</summary>
public sealed class PingPlugin : IWorkerPlugin
{
    private const long LongRoundTripMs = 2;

    private readonly List<(string Host, string Status, string Address, long? RoundTripMs)> _replies = [];
    private PingPluginConfig _config;

    public PingPlugin(PingPluginConfig pluginConfig) => _config = pluginConfig;

    public PingPlugin()
        : this(PingPluginConfig.CreateDefault())
    {
    }

    public string PluginName => "NBomber.Plugins.Network.PingPlugin";

    public async Task Init(IBaseContext context, IConfiguration infraConfig)
    {
        ArgumentNullException.ThrowIfNull(context);
        _config = infraConfig?.GetSection("PingPlugin").Get<PingPluginConfig>() ?? _config;
        foreach (var host in _config.Hosts)
        {
            try
            {
                using var ping = new System.Net.NetworkInformation.Ping();
                var reply = await ping.SendPingAsync(
                    host, _config.Timeout, Encoding.ASCII.GetBytes(new string('-', _config.BufferSizeBytes)),
                    new PingOptions(_config.Ttl, _config.DontFragment)).ConfigureAwait(false);
                _replies.Add((host, reply.Status.ToString(), reply.Address?.ToString(), reply.RoundtripTime));
            }
            catch (Exception exception)
            {
                context.Logger.Error(exception, "Host {Host} cannot be pinged", host);
                _replies.Add((host, (exception.InnerException ?? exception).Message, null, null));
            }
        }
    }

    public Task<DataSet> GetStats(NodeStats stats)
    {
        var table = new DataTable(PluginName) { Locale = CultureInfo.InvariantCulture };
        (string Name, string Caption)[] columns =
        [
            ("Host", "Host"), ("Status", "Status"), ("Address", "Address"), ("RoundTripTime", "Round Trip Time"),
            ("Ttl", "Time to Live"),
            ("DontFragment", "Don't Fragment"), ("BufferSize", "Buffer Size"),
        ];
        table.Columns.AddRange(
            [.. columns.Select(column => new DataColumn(column.Name, typeof(string)) { Caption = column.Caption })]);
        foreach (var reply in _replies)
        {
            table.Rows.Add(
                reply.Host, reply.Status, reply.Address ?? "",
                reply.RoundTripMs is { } ms ? $"{ms} ms" : "", $"{_config.Ttl}",
                $"{_config.DontFragment}", $"{_config.BufferSizeBytes} bytes");
        }

        var set = new DataSet { Locale = CultureInfo.InvariantCulture };
        set.Tables.Add(table);
        return Task.FromResult(set);
    }

    public string[] GetHints() =>
    [
        .. _replies.Where(reply => reply.RoundTripMs > LongRoundTripMs).Select(reply =>
            $"The network takes {reply.RoundTripMs} ms to '{reply.Host}' and back, which is in every latency; run nearer to it."),
    ];

    public Task Stop() => Task.CompletedTask;

    public void Dispose() => _replies.Clear();
}
