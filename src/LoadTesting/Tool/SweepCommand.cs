using Foundation;
using LoadTesting.Core.Http.Sweep;
using LoadTesting.Core.Reporting.Html;
using LoadTesting.Core.Reporting.Markdown;
using LoadTesting.Core.Reporting.Tables;

namespace LoadTesting.Tool;

/// <summary><c>wfperf sweep</c>: how many requests a second a client gets out of more and more workers.</summary>
internal static class SweepCommand
{
    /// <summary>Stands for the service that the sweep starts itself.</summary>
    private static readonly Uri s_own = new("urn:own-service");

    private static readonly string[] s_default = [SweepClient.Lean.Name, SweepClient.OverHttpClient.Name];

    public static Command Create(ToolConsole console)
    {
        var target = new Argument<string?>("url")
        {
            Description =
                "The address to request. Default: an empty web service that wfperf starts in another process.",
            Arity = ArgumentArity.ZeroOrOne,
        };
        var workers = new Option<string>("--workers")
        {
            Description = "Connections. Each number is one step.", HelpName = "n,n,...",
            DefaultValueFactory = _ => "1,10,50,100,200,500,1000,2000",
        };
        var seconds = new Option<int>("--seconds")
        {
            Description = "How long each client is measured at each step of a round.", HelpName = "s",
            DefaultValueFactory = _ => 3,
        };
        var rounds = new Option<int>("--rounds")
        {
            Description = "Interleaved rounds; figures are medians over them.", HelpName = "n",
            DefaultValueFactory = _ => 3,
        };
        var senders = new Option<string>("--senders")
        {
            Description = $"Of {string.Join(", ", SweepClient.BuiltIn.Select(client => client.Name))}; "
                + "the others are compared with the first.",
            HelpName = "name,name,...", DefaultValueFactory = _ => string.Join(',', s_default),
        };
        var beside = new Option<string?>("--beside")
        {
            Description = $"Other clients to compare with: "
                + $"{string.Join(", ", OutsideClient.Known.Select(client => client.Name))}.",
            HelpName = "name,name,...",
        };
        var markdown =
            new Option<string?>("--markdown") { Description = "Also write the table as Markdown.", HelpName = "file" };
        var html = new Option<string?>(
            "--html") { Description = "Also write table and plots as one HTML page.", HelpName = "file" };
        var command = new Command(
            "sweep", "Finds the ceiling of this instrument as an HTTP client: requests a second over workers.");
        command.Add(target);
        foreach (var option in new Option[] { workers, seconds, rounds, senders, beside, markdown, html })
        {
            command.Add(option);
        }

        command.SetAction(async (parsed, cancellationToken) =>
        {
            SweepClient[] clients =
            [
                .. Named(parsed.GetRequiredValue(senders), SweepClient.BuiltIn, "--senders"),
                .. Installed(Named(parsed.GetValue(beside) ?? "", OutsideClient.Known, "--beside")),
            ];
            var options = new SweepOptions
            {
                Target = parsed.GetValue(target) is { } url ? Address(url) : s_own,
                Clients = clients,
                Workers = Numbers(parsed.GetRequiredValue(workers)),
                Rounds = parsed.GetRequiredValue(rounds),
                Duration = TimeSpan.FromSeconds(parsed.GetRequiredValue(seconds)),
            };
            var result = await RunAsync(console, options, cancellationToken).ConfigureAwait(false);
            var (table, page) = (parsed.GetValue(markdown), parsed.GetValue(html));
            var document = ReportDocument.Of(result);
            await WriteAsync(console, table, () => MarkdownDocument.Render(document), cancellationToken)
                .ConfigureAwait(false);
            await WriteAsync(console, page, () => SweepHtml.Render(result), cancellationToken).ConfigureAwait(false);
            TableOutput.Write(console, document);
            return result.Steps.Sum(step => step.Errors) > 0 ? ExitCode.Findings : ExitCode.Success;
        });
        return command;
    }

    private static async Task<SweepResult> RunAsync(
        ToolConsole console, SweepOptions options, CancellationToken cancellationToken)
    {
        if (options.Target == s_own)
        {
            var service = await EmptyService.StartAsync(cancellationToken).ConfigureAwait(false);
            await using var ending = service.ConfigureAwait(false);
            return await RunAsync(
                console, options with { Target = service.Address, ServiceProcessId = service.Id }, cancellationToken)
                .ConfigureAwait(false);
        }

        try
        {
            return await WorkerSweep.RunAsync(
                options,
                (round, workers, client, sample) => console.Error.WriteLine(string.Create(CultureInfo.InvariantCulture,
                    $"round {round + 1}, {workers} workers, {client}: {sample.RequestsPerSecond:0}/s, {sample.Errors} errors")),
                cancellationToken).ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is ArgumentException or InvalidOperationException)
        {
            throw new FormatException(UserMessage.Of(exception), exception);
        }
    }

    private static async Task WriteAsync(
        ToolConsole console, string? file, Func<string> render, CancellationToken cancellationToken)
    {
        if (file is not null)
        {
            await OutputFile.WriteAsync(file, render(), [], cancellationToken).ConfigureAwait(false);
            await OutputFile.ReportAsync(console, file).ConfigureAwait(false);
        }
    }

    private static IEnumerable<T> Named<T>(string list, IReadOnlyList<T> known, string option)
        where T : SweepClient =>
        list.Split(',', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries)
            .Select(name => known.FirstOrDefault(client => client.Name == name) ?? throw new FormatException(
                $"{option}: '{name}' is not known. Known: {string.Join(", ", known.Select(client => client.Name))}."));

    private static IEnumerable<OutsideClient> Installed(IEnumerable<OutsideClient> clients) =>
        clients.Select(client => client.IsInstalled
            ? client
            : throw new FormatException($"--beside: '{client.Name}' is not on PATH. "
                + $"Install it with: {client.Install}"));

    private static int[] Numbers(string list) =>
    [
        .. list.Split(',', StringSplitOptions.TrimEntries).Select(text =>
            int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var number)
                ? number
                : throw new FormatException($"--workers: '{text}' is not a whole number.")),
    ];

    private static Uri Address(string url) =>
        Uri.TryCreate(url, UriKind.Absolute, out var address) && (address.Scheme is "http" or "https")
            ? address
            : throw new FormatException($"{url} is not an address that begins with http:// or https://.");
}
