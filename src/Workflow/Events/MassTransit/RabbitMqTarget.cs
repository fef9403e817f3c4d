using System.Diagnostics.CodeAnalysis;

namespace Workflow.Events.MassTransit;

/// <summary>
/// A broker and who asks it: <c>amqp://user:password@host:port/vhost</c>. Not a record: it would print the password.
/// </summary>
public sealed class RabbitMqTarget
{
    /// <summary>5672, where the URI names none.</summary>
    public const int DefaultPort = 5672;

    public const string Example = "amqp://user:password@127.0.0.1:5672/vhost";

    private RabbitMqTarget(string host, int port, string virtualHost, string user, string password) =>
        (Host, Port, VirtualHost, User, Password) = (host, port, virtualHost, user, password);

    public string Host { get; }

    /// <summary>1 to 65,535.</summary>
    public int Port { get; }

    /// <summary><c>/</c> where the URI names none.</summary>
    public string VirtualHost { get; }

    /// <summary><c>guest</c> where the URI names none; brokers let that in from their own machine only.</summary>
    public string User { get; }

    /// <summary>A secret: never printed.</summary>
    public string Password { get; }

    /// <summary>Parses a connection string.</summary>
    /// <param name="connectionString">
    /// As in <see cref="Example"/>; a special character of user, password or virtual host is percent-encoded.
    /// </param>
    /// <param name="target">Null when it cannot be parsed.</param>
    /// <param name="problem">
    /// What is wrong, without a part of the string: any part of a malformed one may be the password.
    /// </param>
    public static bool TryParse(
        string? connectionString, [NotNullWhen(true)] out RabbitMqTarget? target,
        [NotNullWhen(false)] out string? problem)
    {
        (target, problem) = (null, null);
        if (!Uri.TryCreate(connectionString, UriKind.Absolute, out var uri) || uri.Host.Length == 0)
        {
            problem = $"is not a URI such as {Example}; percent-encode special characters of the password";
            return false;
        }

        if (uri.Scheme != "amqp")
        {
            problem = $"has a scheme other than amqp, the only one that is supported: {Example}";
            return false;
        }

        var path = uri.AbsolutePath.Trim('/');
        if (path.Contains('/', StringComparison.Ordinal) || uri.Query.Length > 0)
        {
            problem = $"has more behind the virtual host than {Example}; write a slash within its name as %2F";
            return false;
        }

        var account = uri.UserInfo.Split(':', 2).Select(Uri.UnescapeDataString).ToArray();
        target = new RabbitMqTarget(
            uri.Host, uri.Port > 0 ? uri.Port : DefaultPort, path.Length == 0 ? "/" : Uri.UnescapeDataString(path),
            account[0].Length == 0 ? "guest" : account[0], account.Length > 1 ? account[1] : "guest");
        return true;
    }

    /// <summary>Everything but the password.</summary>
    public override string ToString() => $"host={Host}, port={Port}, vhost={VirtualHost}, user={User}";
}
