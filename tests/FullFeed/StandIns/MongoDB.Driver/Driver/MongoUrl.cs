namespace MongoDB.Driver;

public sealed class MongoServerAddress(string host, int port)
{
    public string Host => host;

    public int Port => port;

    public override string ToString() => $"{host}:{port}";
}

/// <summary><c>mongodb://user:password@host:port,host:port/database?option=value</c>; a text that is not of that form is repeated in the error, as the original does.</summary>
public sealed class MongoUrl
{
    public MongoUrl(string url)
    {
        if (!Uri.TryCreate(url.Split(',')[0], UriKind.Absolute, out var first) || first.Scheme is not ("mongodb" or "mongodb+srv") || first.Host.Length == 0)
        {
            throw new MongoConfigurationException($"The connection string '{url}' is not valid.");
        }

        Url = url;
        var rest = url[(url.IndexOf("://", StringComparison.Ordinal) + 3)..];
        var options = rest.IndexOf('?', StringComparison.Ordinal) is var mark and >= 0 ? rest[(mark + 1)..] : "";
        rest = rest.Split('?')[0];
        var at = rest.LastIndexOf('@');
        if (at >= 0)
        {
            var user = rest[..at].Split(':', 2);
            (Username, Password) = (Uri.UnescapeDataString(user[0]), user.Length > 1 ? Uri.UnescapeDataString(user[1]) : null);
        }

        var place = rest[(at + 1)..].Split('/', 2);
        DatabaseName = place.Length > 1 && place[1].Length > 0 ? Uri.UnescapeDataString(place[1]) : null;
        Servers = [.. place[0].Split(',').Select(s => s.Split(':')).Select(s => new MongoServerAddress(s[0], s.Length > 1 ? int.Parse(s[1], System.Globalization.CultureInfo.InvariantCulture) : 27017))];
        var named = options.Split('&').Select(o => o.Split('=', 2)).Where(o => o.Length == 2).ToDictionary(o => o[0], o => o[1], StringComparer.OrdinalIgnoreCase);
        ReplicaSetName = named.GetValueOrDefault("replicaSet");
        ApplicationName = named.GetValueOrDefault("appName");
    }

    public string? ApplicationName { get; }

    public string? DatabaseName { get; }

    public string? Password { get; }

    public string? ReplicaSetName { get; }

    public IEnumerable<MongoServerAddress> Servers { get; }

    public string Url { get; }

    public string? Username { get; }
}
