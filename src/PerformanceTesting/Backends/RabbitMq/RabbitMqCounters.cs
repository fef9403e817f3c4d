using System.Net.Sockets;

namespace PerformanceTesting.Backends.RabbitMq;

/// <summary>The page of RabbitMQ's Prometheus plugin at one moment.</summary>
/// <param name="Values">Sums over all labels of a name, under the plugin's own names.</param>
/// <param name="Labels">What the broker says of its versions.</param>
internal sealed record RabbitMqCounters(
    IReadOnlyDictionary<string, double> Values, IReadOnlyDictionary<string, string> Labels)
{
    private const string BuildInfo = "rabbitmq_build_info";
    private static readonly HttpClient Http = new() { Timeout = TimeSpan.FromSeconds(5) };

    /// <summary>Messages that were put into queues and not acknowledged yet, counted exactly.</summary>
    public double Depth =>
        Of("rabbitmq_global_messages_routed_total") - Of("rabbitmq_global_messages_acknowledged_total");

    public double Of(string name) => Values.GetValueOrDefault(name);

    /// <returns>Null when nothing answers there within five seconds.</returns>
    public static async Task<RabbitMqCounters?> TryReadAsync(Uri address, CancellationToken cancellationToken)
    {
        try
        {
            return Parse(await Http.GetStringAsync(address, cancellationToken));
        }
        catch (Exception e) when (e is HttpRequestException or SocketException)
        {
            return null;
        }
        catch (TaskCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            return null;
        }
    }

    private static RabbitMqCounters Parse(string page)
    {
        var values = new Dictionary<string, double>(StringComparer.Ordinal);
        var labels = new Dictionary<string, string>(StringComparer.Ordinal);
        foreach (var line in page.Split('\n').Where(line => line.Length > 0 && line[0] != '#'))
        {
            var space = line.LastIndexOf(' ');
            var name = line[..line.AsSpan().IndexOfAny('{', ' ')];
            if (space > 0 && double.TryParse(line.AsSpan(space + 1), CultureInfo.InvariantCulture, out var value))
            {
                values[name] = values.GetValueOrDefault(name) + value;
            }

            if (name == BuildInfo)
            {
                var pairs =
                    line[(BuildInfo.Length + 1)..line.LastIndexOf('}')].Split(',').Select(pair => pair.Split('=', 2));
                labels = pairs
                    .Where(pair => pair[0].EndsWith("_version", StringComparison.Ordinal))
                    .ToDictionary(pair => pair[0], pair => pair[1].Trim('"'));
            }
        }

        return new RabbitMqCounters(values, labels);
    }
}
