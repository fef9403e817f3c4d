using System.Collections.ObjectModel;
using System.Net;
using System.Net.Http.Headers;
using System.Net.Sockets;
using Workflow.Abstractions.Building;
using Workflow.Abstractions.Exceptions;
using Workflow.Bpmn;

namespace LoadTesting.Tool;

/// <summary><c>wfperf definition</c>: definitions of a running web service, or in files.</summary>
internal static class DefinitionCommand
{
    /// <summary>The environment variable with the API key, so that no command line shows it.</summary>
    public const string KeyVariable = "WORKFLOW_API_KEY";

    private const string DefaultService = "http://127.0.0.1:5080";

    public static Command Create(ToolConsole console)
    {
        var files = new Argument<string[]>("file") { Description = "BPMN 2.0 files.", Arity = ArgumentArity.OneOrMore };
        var service = Service();
        var check = new Option<bool>("--check") { Description = "Only check the files; register nothing." };
        var import = new Command("import", "Registers every executable process of BPMN files with a web service, or says what it does "
            + "not import.");
        import.Add(files);
        import.Add(service);
        import.Add(check);
        import.SetAction(async (parsed, cancellationToken) =>
        {
            using var http = Client(parsed.GetRequiredValue(service));
            var isCheck = parsed.GetValue(check);
            var code = ExitCode.Success;
            foreach (var file in parsed.GetRequiredValue(files))
            {
                var one = await ImportAsync(console, http, file, isCheck, cancellationToken).ConfigureAwait(false);
                code = Math.Max(code, one);
            }

            return code;
        });
        return new Command("definition", "Definitions of a web service, or in files.") { import, Decompile(console) };
    }

    private static Command Decompile(ToolConsole console)
    {
        var name = new Argument<string>("name")
        {
            Description = "The name of a definition of the web service; or a file, canonical JSON or BPMN 2.0, for which no service is "
                + "asked. With --service it is never a file.",
        };
        var version = new Option<int?>("--version")
        {
            Description = "1 or more; the newest of the service by default, 1 of a BPMN file. A JSON file says its own.",
            HelpName = "number",
        };
        var process = new Option<string>("--process")
        {
            Description = "Of a BPMN file with several definitions the one to write.", HelpName = "id",
        };
        var output = new Option<string>("--out") { Description = "The file to write; the terminal by default.", HelpName = "file" };
        var service = Service();
        var decompile = new Command("decompile", "Writes a definition of a web service, or of a file, as the C# that builds it.")
        {
            name, version, process, output, service,
        };
        decompile.SetAction(async (parsed, cancellationToken) =>
        {
            var (wanted, number, id) = (parsed.GetRequiredValue(name), parsed.GetValue(version), parsed.GetValue(process));
            var (exit, code) = parsed.GetResult(service) is { Implicit: false } || !DefinitionFile.IsMeant(wanted)
                ? await FetchAsync(console, parsed.GetRequiredValue(service), wanted, number, id, cancellationToken).ConfigureAwait(false)
                : await DefinitionFile.DecompileAsync(console, wanted, number, id, cancellationToken).ConfigureAwait(false);
            if (code is null)
            {
                return exit;
            }

            if (parsed.GetValue(output) is { } file)
            {
                await File.WriteAllTextAsync(file, code, cancellationToken).ConfigureAwait(false);
                await console.Out.WriteLineAsync($"{file} is written.").ConfigureAwait(false);
            }
            else
            {
                await console.Out.WriteAsync(code).ConfigureAwait(false);
            }

            return ExitCode.Success;
        });
        return decompile;
    }

    private static async Task<(int Exit, string? Code)> FetchAsync(
        ToolConsole console, string service, string name, int? version, string? process, CancellationToken cancellationToken)
    {
        if (process is not null)
        {
            throw new FormatException(
                $"--process {process}: only BPMN files have processes to choose from; '{name}' is asked of a service.");
        }

        using var http = Client(service);
        var query = version is { } number ? FormattableString.Invariant($"?version={number}") : "";
        var route = $"definitions/{Uri.EscapeDataString(name)}/code{query}";
        var (status, code) = await SendAsync(http, HttpMethod.Get, route, null, cancellationToken).ConfigureAwait(false);
        if (status == HttpStatusCode.OK)
        {
            return (ExitCode.Success, code);
        }

        using var problem = Parse(http, code);
        await console.Error.WriteLineAsync($"wfperf: {Text(problem.RootElement, "detail")}").ConfigureAwait(false);
        return (ExitCode.BadInput, null);
    }

    private static Option<string> Service() => new("--service")
    {
        Description = $"The web service; {DefaultService} by default. An API key is taken from {KeyVariable}.", HelpName = "url",
        DefaultValueFactory = _ => DefaultService,
    };

    private static HttpClient Client(string service)
    {
        if (!Uri.TryCreate(service, UriKind.Absolute, out var address) || address.Scheme is not ("http" or "https"))
        {
            throw new FormatException($"--service {service}: is no address of a web service. Write e.g. {DefaultService}.");
        }

        var http = new HttpClient { BaseAddress = address };
        if (Environment.GetEnvironmentVariable(KeyVariable) is { Length: > 0 } key)
        {
            http.DefaultRequestHeaders.Add("X-Api-Key", key);
        }

        return http;
    }

    private static async Task<int> ImportAsync(
        ToolConsole console, HttpClient http, string file, bool isCheck, CancellationToken cancellationToken)
    {
        using var content = new ByteArrayContent(await File.ReadAllBytesAsync(file, cancellationToken).ConfigureAwait(false));
        content.Headers.ContentType = new MediaTypeHeaderValue("application/xml");
        var (status, text) = await SendAsync(
            http, HttpMethod.Post, isCheck ? "definitions/validate" : "definitions", content, cancellationToken).ConfigureAwait(false);
        using var answer = Parse(http, text);
        return await WriteAsync(console, file, answer.RootElement, status == HttpStatusCode.Created).ConfigureAwait(false);
    }

    private static async Task<(HttpStatusCode Status, string Text)> SendAsync(
        HttpClient http, HttpMethod method, string route, HttpContent? content, CancellationToken cancellationToken)
    {
        using var request = new HttpRequestMessage(method, new Uri(route, UriKind.Relative)) { Content = content };
        try
        {
            using var response = await http.SendAsync(request, cancellationToken).ConfigureAwait(false);
            return (response.StatusCode, await response.Content.ReadAsStringAsync(cancellationToken).ConfigureAwait(false));
        }
        catch (Exception e) when (e is HttpRequestException or SocketException)
        {
            throw new IOException($"{http.BaseAddress}: {e.Message} Start the web service, or name another with --service.", e);
        }
    }

    private static JsonDocument Parse(HttpClient http, string text)
    {
        JsonDocument? answer = null;
        try
        {
            answer = JsonDocument.Parse(text);
        }
        catch (JsonException)
        {
            // Said below.
        }

        return answer is { RootElement.ValueKind: JsonValueKind.Object } ? answer
            : throw new FormatException($"{http.BaseAddress}: answered with what is no JSON object. Is it a workflow web service?");
    }

    /// <summary>Writes what became of a file: its definitions, or every finding with its place, as compilers do.</summary>
    private static async Task<int> WriteAsync(ToolConsole console, string file, JsonElement answer, bool isNew)
    {
        if (answer.TryGetProperty("errors", out var errors) && errors.GetArrayLength() > 0)
        {
            foreach (var error in errors.EnumerateArray())
            {
                var place = $"{file}:{Number(error, "line")}:{Number(error, "column")}";
                await console.Error.WriteLineAsync($"{place}: {Text(error, "path")}: {Text(error, "message")}").ConfigureAwait(false);
            }

            await console.Error.WriteLineAsync($"wfperf: {file} is not imported: {errors.GetArrayLength()} to put right.")
                .ConfigureAwait(false);
            return ExitCode.Findings;
        }

        if (answer.TryGetProperty("valid", out _))
        {
            await console.Out.WriteLineAsync($"{file}: can be imported.").ConfigureAwait(false);
            return ExitCode.Success;
        }

        if (!answer.TryGetProperty("definitions", out var definitions))
        {
            await console.Error.WriteLineAsync($"wfperf: {file}: {Text(answer, "detail")}").ConfigureAwait(false);
            return ExitCode.BadInput;
        }

        foreach (var definition in definitions.EnumerateArray())
        {
            await console.Out.WriteLineAsync($"{file}: {Text(definition, "name")} version {Number(definition, "version")}"
                + (isNew ? "" : ", registered before")).ConfigureAwait(false);
        }

        return ExitCode.Success;
    }

    private static string Text(JsonElement of, string member) => of.TryGetProperty(member, out var value) ? value.ToString() : "";

    private static int Number(JsonElement of, string member) => of.TryGetProperty(member, out var value) ? value.GetInt32() : 1;
}

/// <summary>A file with definitions: canonical JSON, or BPMN 2.0 XML.</summary>
internal static class DefinitionFile
{
    private static readonly string[] Extensions = [".json", ".bpmn", ".xml"];

    /// <summary>Blanks, byte order marks, and the other halves of both in UTF-16.</summary>
    private static ReadOnlySpan<byte> BeforeText => [0x20, 0x09, 0x0D, 0x0A, 0x00, 0xEF, 0xBB, 0xBF, 0xFE, 0xFF];

    /// <summary>Whether a file is meant, and not a definition of a service.</summary>
    public static bool IsMeant(string name) => File.Exists(name) || name.AsSpan().ContainsAny('/', '\\')
        || Extensions.Contains(Path.GetExtension(name), StringComparer.OrdinalIgnoreCase);

    /// <returns>The code, or null where it has errors: then they are written, each with its place.</returns>
    public static async Task<(int Exit, string? Code)> DecompileAsync(
        ToolConsole console, string file, int? version, string? process, CancellationToken cancellationToken)
    {
        var bytes = await File.ReadAllBytesAsync(file, cancellationToken).ConfigureAwait(false);
        List<string> errors;
        try
        {
            var definition = IsXml(bytes) ? Import(file, bytes, version, process)
                : version is { } number
                ? throw new FormatException(FormattableString.Invariant($"--version {number}: {file} says its own version. Leave it out."))
                : process is null ? WithoutMark(bytes)
                : throw new FormatException($"--process {process}: {file} is no BPMN file, and has one definition. Leave it out.");
            return (ExitCode.Success, DefinitionDecompiler.Decompile(definition));
        }
        catch (BpmnInvalidException e)
        {
            errors = [.. e.Findings.Select(found =>
                FormattableString.Invariant($"{file}:{found.Line}:{found.Column}: {found.Subject}: {found.Message}"))];
        }
        catch (DefinitionInvalidException e)
        {
            errors = [.. e.Errors.Select(error => $"{file}: {error.Path}{(error.Column is { } column
                ? FormattableString.Invariant($", column {column}") : "")}: {error.Message}")];
        }

        foreach (var error in errors)
        {
            await console.Error.WriteLineAsync(error).ConfigureAwait(false);
        }

        await console.Error.WriteLineAsync($"wfperf: {file} is not decompiled: {errors.Count} to put right.").ConfigureAwait(false);
        return (ExitCode.Findings, null);
    }

    private static byte[] Import(string file, byte[] xml, int? version, string? process)
    {
        if (version < 1)
        {
            throw new FormatException(FormattableString.Invariant($"--version {version}: versions begin with 1."));
        }

        var all = BpmnImporter.Import(xml);
        var names = string.Join(", ", all.Select(one => one.Name));
        var found = process is null
            ? all.Count == 1 ? all[0]
                : throw new FormatException($"{file}: has {all.Count} definitions. Choose one with --process: {names}.")
            : all.FirstOrDefault(one => one.Name == process)
                ?? throw new FormatException($"--process {process}: {file} has no such definition, but {names}.");
        return Encoding.UTF8.GetBytes(found.WithVersion(version ?? 1, ReadOnlyDictionary<string, int>.Empty));
    }

    // XML in any encoding has a < for its first character, after a byte order mark; JSON never has.
    private static bool IsXml(ReadOnlySpan<byte> bytes) =>
        bytes.IndexOfAnyExcept(BeforeText) is >= 0 and var first && bytes[first] == (byte)'<';

    private static byte[] WithoutMark(byte[] bytes) =>
        bytes.AsSpan().StartsWith(Encoding.UTF8.Preamble) ? bytes[Encoding.UTF8.Preamble.Length..] : bytes;
}
