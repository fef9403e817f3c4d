using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;
using Workflow.Abstractions.Exceptions;

namespace Workflow.Events.MassTransit;

/// <summary>
/// A broker as its own client library sees it: asked once before a bus is started, which would try again without end.
/// </summary>
public static class RabbitMqBroker
{
    /// <summary>Whole of the connection's opening.</summary>
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(10);

    private static readonly Version Oldest = new(3, 8);

    /// <summary>Connects, and closes again.</summary>
    /// <returns>The broker's version.</returns>
    /// <exception cref="EventTransportException">
    /// Nothing answers within 10 s, or the broker refuses user, virtual host or this client.
    /// </exception>
    public static async Task<string> ProbeAsync(RabbitMqTarget target, CancellationToken cancellationToken)
    {
        var connection = await ConnectAsync(target, "probe", cancellationToken).ConfigureAwait(false);
        await using (connection.ConfigureAwait(false))
        {
            var version = connection.ServerProperties?.TryGetValue("version", out var value) == true
                && value is byte[] text
                ? Encoding.UTF8.GetString(text)
                : "";
            await connection.CloseAsync(cancellationToken).ConfigureAwait(false);
            return IsSupported(version) ? version : throw new EventTransportException(
                $"The RabbitMQ broker ({target}) says it is version '{version}'; {Oldest} is the "
                + "oldest supported version. "
                    + "Name a newer one.");
        }
    }

    /// <summary>Opens a connection that does not recover by itself.</summary>
    /// <param name="purpose">Part of the name by which the broker lists the connection.</param>
    /// <param name="cancellationToken">Ends the wait; without it, 10 s do.</param>
    /// <exception cref="EventTransportException">
    /// Nothing answers, or the broker refuses user or virtual host.
    /// </exception>
    public static async Task<IConnection> ConnectAsync(
        RabbitMqTarget target, string purpose, CancellationToken cancellationToken)
    {
        var factory = new ConnectionFactory
        {
            HostName = target.Host,
            Port = target.Port,
            VirtualHost = target.VirtualHost,
            UserName = target.User,
            Password = target.Password,
            AutomaticRecoveryEnabled = false,
            RequestedConnectionTimeout = Limit,
            ClientProvidedName = $"workflow-{purpose}",
        };
        using var deadline = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        deadline.CancelAfter(Limit);
        try
        {
            var connection = await factory.CreateConnectionAsync(deadline.Token).ConfigureAwait(false);
            return await OpenedAsync(connection, deadline.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException e) when (!cancellationToken.IsCancellationRequested)
        {
            throw Refused(target, $"it did not answer within {Limit.TotalSeconds} s. Check host and port, and whether "
                + "the broker runs", e);
        }
        catch (RabbitMQClientException e)
        {
            throw Refused(target, Reason(e, target), e);
        }
        catch (IOException e)
        {
            throw Refused(target, Reason(e, target), e);
        }
    }

    /// <summary>The library does not wait for the virtual host's door to open; a channel does.</summary>
    private static async Task<IConnection> OpenedAsync(IConnection connection, CancellationToken cancellationToken)
    {
        try
        {
            var channel = await connection.CreateChannelAsync(cancellationToken: cancellationToken)
                .ConfigureAwait(false);
            await channel.DisposeAsync().ConfigureAwait(false);
            return connection;
        }
        catch
        {
            await connection.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    private static EventTransportException Refused(RabbitMqTarget target, string reason, Exception cause) =>
        new($"The RabbitMQ broker ({target}) cannot be used: {reason}.", cause);

    private static string Reason(Exception exception, RabbitMqTarget target)
    {
        for (Exception? e = exception; e is not null; e = e.InnerException)
        {
            switch (e)
            {
                case AuthenticationFailureException or PossibleAuthenticationFailureException:
                    return $"it refuses user '{target.User}' with this password, or keeps that user from virtual host "
                        + $"'{target.VirtualHost}'. Correct the connection string, or rabbitmqctl add_user and "
                        + "set_permissions";
                case OperationInterruptedException { ShutdownReason.ReplyCode: 530 }:
                    return $"virtual host '{target.VirtualHost}' does not exist or is closed to user '{target.User}'. "
                    + "rabbitmqctl add_vhost and set_permissions make it";
                case TimeoutException:
                    return $"it did not answer within {Limit.TotalSeconds} s. Check host and port, and whether the "
                    + "broker runs";
            }
        }

        return $"{exception.GetBaseException().Message.TrimEnd('.')}. Check host and port, and whether the broker runs";
    }

    private static bool IsSupported(string version)
    {
        var parts = version.Split('.', '-', '+');
        return parts.Length >= 2
            && int.TryParse(parts[0], CultureInfo.InvariantCulture, out var major)
            && int.TryParse(parts[1], CultureInfo.InvariantCulture, out var minor)
            && new Version(major, minor) >= Oldest;
    }
}
