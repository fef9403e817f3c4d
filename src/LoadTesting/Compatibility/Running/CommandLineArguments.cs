using LoadTesting.Contracts;

namespace LoadTesting.Running;

/// <summary>The arguments of a command line.</summary>
internal static class CommandLineArguments
{
    private static readonly string[] s_known =
        ["--config", "--infra", "--target", "--session-id", "--display-console-metrics", "--license"];

    /// <exception cref="ArgumentException">An argument is not known, or has no value.</exception>
    public static NBomberContext Apply(NBomberContext context, IReadOnlyList<string> args)
    {
        for (var index = 0; index < args.Count;)
        {
            var parts = args[index].Split('=', 2);
            var values = parts.Skip(1)
                .Concat(args.Skip(index + 1).TakeWhile(value => !value.StartsWith('-'))).ToArray();
            index += 1 + values.Length - (parts.Length - 1);
            context = With(context, parts[0], values);
        }

        return context;
    }

    private static NBomberContext With(NBomberContext context, string name, string[] values)
    {
        string Single() => values.Length == 1
            ? values[0]
            : throw new ArgumentException(
                $"The argument {name} has {values.Length} values ({string.Join(" ", values)}); it takes one.");
        return name switch
        {
            "-c" or "--config" => context with { Settings = SettingsReader.Read(Single()) },
            "-i" or "--infra" => context with { InfraConfig = SettingsReader.ReadInfra(Single()) },
            "-t" or "--target" => values.Length > 0
                ? context with { TargetScenarios = values }
                : throw new ArgumentException($"The argument {name} names no scenario."),
            "--session-id" => context with { SessionId = Single() },
            "--display-console-metrics" => context with
            {
                PrintsByArgument = bool.TryParse(Single(), out var prints)
                    ? prints
                    : throw new ArgumentException($"The argument {name} is '{Single()}'. It is true or false."),
            },
            "--license" => context,
            _ => throw new ArgumentException(
                $"The argument {name} is not known; the nearest is {ConfigurationKeys.Nearest(name, s_known)}, and "
                    + $"known are {string.Join(", ", s_known)}. There is no cluster."),
        };
    }
}
