using System.Data.Common;
using Workflow.Abstractions.Exceptions;
using Workflow.WebService.Configuration;

namespace Workflow.WebService.Hosting;

/// <summary>Describes why the service did not start, in one line and without secrets.</summary>
internal static class StartFailure
{
    // Parts of names rather than names: the value of a misspelt key is secret too.
    private static readonly string[] SecretKeyParts = ["pass", "pwd", "psw", "secret", "token"];

    public static string Describe(Exception exception, ServiceSettings settings)
    {
        var message = exception is WorkflowException
            ? exception.Message
            : $"{exception.GetType().Name}: {exception.Message}";
        if (exception.Message.Contains("address already in use", StringComparison.OrdinalIgnoreCase))
        {
            message += " Choose another with --urls http://127.0.0.1:0 (any free port).";
        }

        return "The service did not start. " + Redact(message.ReplaceLineEndings(" "), settings.ConnectionString);
    }

    /// <summary>Removes the values of secret keys, because drivers quote the connection string.</summary>
    internal static string Redact(string message, string? connectionString)
    {
        foreach (var secret in Secrets(connectionString))
        {
            message = message.Replace(secret, "***", StringComparison.Ordinal);
        }

        return message;
    }

    private static string[] Secrets(string? connectionString)
    {
        try
        {
            var parts = new DbConnectionStringBuilder { ConnectionString = connectionString ?? "" };
            return parts.Keys.Cast<string>()
                .Where(key => SecretKeyParts.Any(part => key.Contains(part, StringComparison.OrdinalIgnoreCase)))
                .Select(key => parts[key].ToString() ?? "").Where(value => value.Length > 0).ToArray();
        }
        catch (ArgumentException)
        {
            // The connection string cannot be parsed, so all of it counts as secret.
            return [connectionString!];
        }
    }
}
