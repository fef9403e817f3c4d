using System.Text.RegularExpressions;
using Workflow.Events.MassTransit;

namespace Workflow.WebService.Configuration;

/// <summary>Reads how integration events go over RabbitMQ. Whether the broker answers is asked when the service starts.</summary>
internal static partial class RabbitMqSettings
{
    public static RabbitMqEventOptions? Read(IConfiguration configuration, List<string> violations)
    {
        var text = configuration.GetConnectionString("RabbitMq");
        if (string.IsNullOrWhiteSpace(text))
        {
            violations.Add("ConnectionStrings:RabbitMq is missing, and IntegrationEvents:Transport is RabbitMq. "
                + $"Set it, e.g. in the environment: ConnectionStrings__RabbitMq='{RabbitMqTarget.Example}'.");
            return null;
        }

        if (!RabbitMqTarget.TryParse(text, out var target, out var problem))
        {
            violations.Add($"ConnectionStrings:RabbitMq {problem}.");
            return null;
        }

        var prefix = configuration["IntegrationEvents:ExchangePrefix"] ?? "";
        if (!ExchangePrefix().IsMatch(prefix))
        {
            violations.Add(
                $"IntegrationEvents:ExchangePrefix is '{prefix}'. Use at most 63 letters, digits, dots, underscores and hyphens.");
        }

        return new RabbitMqEventOptions { Target = target, ExchangePrefix = prefix };
    }

    [GeneratedRegex("^[A-Za-z0-9._-]{0,63}$")]
    private static partial Regex ExchangePrefix();
}
