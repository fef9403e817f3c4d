using LoadTesting.Core.Catalogue;
using LoadTesting.Core.Load.Watches;

namespace LoadTesting.Tool;

/// <summary>The address of a service under test that the tool did not start.</summary>
internal static class ServiceAddress
{
    private const string KeyHeader = "X-Api-Key";

    /// <summary>The API key of the service; null if it needs none.</summary>
    public static string? Key =>
        Environment.GetEnvironmentVariable(CataloguePart.KeyVariable) is { Length: > 0 } key ? key : null;

    /// <exception cref="FormatException">The text is not an address.</exception>
    public static Uri Parse(string text) =>
        Uri.TryCreate(text, UriKind.Absolute, out var address) && address.Scheme is "http" or "https"
            ? address
            : throw new FormatException($"--service '{text}' is not an address that begins with http:// or https://.");

    /// <summary>The metrics of each process of the service, by its address.</summary>
    /// <exception cref="FormatException">One of them does not answer.</exception>
    public static async Task<IReadOnlyDictionary<string, IReadOnlyDictionary<string, double>>> ReadMetricsAsync(
        IEnumerable<Uri> services, CancellationToken cancellationToken)
    {
        using var http = new HttpClient();
        if (Key is { } key)
        {
            http.DefaultRequestHeaders.Add(KeyHeader, key);
        }

        var pages = new Dictionary<string, IReadOnlyDictionary<string, double>>(StringComparer.Ordinal);
        foreach (var service in services)
        {
            var address = new Uri(service, "metrics");
            try
            {
                pages[service.AbsoluteUri] = MetricsPage.Read(
                    await http.GetStringAsync(address, cancellationToken).ConfigureAwait(false));
            }
            catch (Exception exception) when (exception is HttpRequestException or FormatException
                || (exception is TaskCanceledException && !cancellationToken.IsCancellationRequested))
            {
                throw new FormatException(
                    $"{address}: {exception.Message.TrimEnd('.')}. The parts are compared with what the service "
                        + $"counted; its key is in {CataloguePart.KeyVariable}.",
                    exception);
            }
        }

        return pages;
    }
}
