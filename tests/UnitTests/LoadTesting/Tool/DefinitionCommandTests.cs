using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;
using Workflow.Abstractions.Building;
using Workflow.Bpmn;

namespace UnitTests.LoadTesting.Tool;

/// <summary><c>wfperf definition</c> against a service that answers as the test says, and on files.</summary>
public sealed class DefinitionCommandTests : ToolTests
{
    [Fact]
    public async Task File_is_sent_as_it_is_and_its_definitions_are_listed()
    {
        var file = await WriteAsync("a.bpmn", "<definitions />");
        await using var service = await ServeAsync(201, """{"name":"a","version":3,"definitions":[{"name":"a","version":3},{"name":"b","version":1}]}""");

        var code = await RunAsync("definition", "import", file, "--service", service.Urls.Single());

        Assert.Equal((0, ""), (code, Error.ToString()));
        Assert.Equal([$"{file}: a version 3", $"{file}: b version 1"], Lines(Out));
        Assert.Equal(["POST /definitions application/xml <definitions />"], _asked);
    }

    [Fact]
    public async Task Findings_are_written_with_file_line_and_column_and_end_with_code_one()
    {
        var file = await WriteAsync("a.bpmn", "<definitions />");
        await using var service = await ServeAsync(400,
            """{"errors":[{"path":"complexGateway 'g'","message":"Not imported.","line":7,"column":3,"element":"g"}],"detail":"d"}""");

        Assert.Equal(ExitCode.Findings, await RunAsync("definition", "import", file, "--service", service.Urls.Single()));

        Assert.Equal([$"{file}:7:3: complexGateway 'g': Not imported.", $"wfperf: {file} is not imported: 1 to put right."], Lines(Error));
        Assert.Empty(Out.ToString());
    }

    [Fact]
    public async Task Check_registers_nothing()
    {
        var file = await WriteAsync("a.bpmn", "<definitions />");
        await using var service = await ServeAsync(200, """{"valid":true,"errors":[]}""");

        Assert.Equal(0, await RunAsync("definition", "import", file, "--check", "--service", service.Urls.Single()));

        Assert.Equal([$"{file}: can be imported."], Lines(Out));
        Assert.StartsWith("POST /definitions/validate ", Assert.Single(_asked), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Missing_file_missing_service_and_other_answers_are_bad_input_with_the_way_out()
    {
        var file = await WriteAsync("a.bpmn", "<definitions />");
        await using var service = await ServeAsync(401, """{"detail":"Send the header X-Api-Key."}""");
        await using var page = await ServeAsync(200, "<html>");
        var address = service.Urls.Single();
        await using var gone = await ServeAsync(200, "");
        var nobody = gone.Urls.Single();
        await gone.StopAsync(Cancel);

        Assert.Equal(ExitCode.BadInput, await RunAsync("definition", "import", PathOf("none.bpmn"), "--service", address));
        Assert.Equal(ExitCode.BadInput, await RunAsync("definition", "import", file, "--service", nobody));
        Assert.Equal(ExitCode.BadInput, await RunAsync("definition", "import", file, "--service", address));
        Assert.Equal(ExitCode.BadInput, await RunAsync("definition", "import", file, "--service", page.Urls.Single()));
        Assert.Equal(ExitCode.BadInput, await RunAsync("definition", "import", file, "--service", "ftp://x"));

        Assert.All(["none.bpmn", "--service", "X-Api-Key", "no JSON object", "no address"], part => Assert.Contains(part, Error.ToString(), StringComparison.Ordinal));
    }

    [Fact]
    public async Task Decompiled_definition_is_written_to_the_terminal_or_a_file()
    {
        await using var service = await ServeAsync(200, "// code\n");
        var address = service.Urls.Single();

        Assert.Equal(0, await RunAsync("definition", "decompile", "order", "--service", address));
        Assert.Equal("// code\n", Out.ToString());
        Assert.Equal(0, await RunAsync("definition", "decompile", "order", "--version", "3", "--out", PathOf("Order.cs"), "--service", address));

        Assert.Equal("// code\n", await File.ReadAllTextAsync(PathOf("Order.cs"), Cancel));
        Assert.Equal(["GET /definitions/order/code", "GET /definitions/order/code?version=3"], _asked.Select(asked => asked.Trim()));
    }

    [Fact]
    public async Task Decompile_says_what_the_service_says_of_an_unknown_definition_and_what_is_no_service()
    {
        await using var service = await ServeAsync(404, """{"detail":"There is no definition 'order'."}""");
        await using var page = await ServeAsync(500, "<html>");

        Assert.Equal(ExitCode.BadInput, await RunAsync("definition", "decompile", "order", "--service", service.Urls.Single()));
        Assert.Equal(ExitCode.BadInput, await RunAsync("definition", "decompile", "order", "--service", page.Urls.Single()));

        Assert.All(["no definition 'order'", "no JSON object"], part => Assert.Contains(part, Error.ToString(), StringComparison.Ordinal));
        Assert.Empty(Out.ToString());
    }

    [Fact]
    public async Task File_is_decompiled_without_a_service()
    {
        var json = Checkout.Fixture("definitions", "order.json");
        var bpmn = Checkout.Fixture("bpmn", "order-camunda8.bpmn");

        Assert.Equal((0, ""), (await RunAsync("definition", "decompile", json), Error.ToString()));
        Assert.Equal(DefinitionDecompiler.Decompile(await File.ReadAllBytesAsync(json, Cancel)), Out.ToString());
        Assert.Equal((0, ""), (await RunAsync("definition", "decompile", bpmn, "--version", "7", "--out", PathOf("Order.cs")), Error.ToString()));
        var imported = BpmnImporter.Import(await File.ReadAllBytesAsync(bpmn, Cancel), Cancel)[0]
            .WithVersion(7, new Dictionary<string, int>());
        Assert.Equal(DefinitionDecompiler.Decompile(Encoding.UTF8.GetBytes(imported)), await File.ReadAllTextAsync(PathOf("Order.cs"), Cancel));
    }

    [Fact]
    public async Task Text_with_a_byte_order_mark_is_read_too()
    {
        var json = await File.ReadAllTextAsync(Checkout.Fixture("definitions", "order.json"), Cancel);
        var bpmn = await File.ReadAllTextAsync(Checkout.Fixture("bpmn", "order-camunda8.bpmn"), Cancel);
        await File.WriteAllTextAsync(PathOf("a"), json, new UTF8Encoding(true), Cancel);
        await File.WriteAllTextAsync(PathOf("b"), bpmn.Replace("UTF-8", "UTF-16", StringComparison.OrdinalIgnoreCase), Encoding.Unicode, Cancel);

        Assert.Equal((0, ""), (await RunAsync("definition", "decompile", PathOf("a")), Error.ToString()));
        Assert.Equal((0, ""), (await RunAsync("definition", "decompile", PathOf("b")), Error.ToString()));
    }

    [Fact]
    public async Task Errors_of_a_file_are_written_with_their_places_and_end_with_code_one()
    {
        var json = await WriteAsync("a.json", """{"name":"a","version":1,"start":"s","steps":{"s":{"type":"set","values":{"x":"= 1 +"},"next":"t"}}}""");
        var bpmn = await WriteAsync("b.bpmn", UnitTests.Workflow.Bpmn.BpmnText.Around("<complexGateway id=\"x\" />"));

        Assert.Equal(ExitCode.Findings, await RunAsync("definition", "decompile", json));
        Assert.Equal(ExitCode.Findings, await RunAsync("definition", "decompile", bpmn));

        var lines = Lines(Error).ToList();
        Assert.Contains(lines, line => line.StartsWith($"{json}: steps.s.values.x, column ", StringComparison.Ordinal));
        Assert.Contains(lines, line => line.StartsWith($"{json}: steps.s.next: ", StringComparison.Ordinal));
        Assert.Contains(lines, line => Regex.IsMatch(line, $@"^{Regex.Escape(bpmn)}:\d+:\d+: complexGateway 'x': "));
        Assert.Contains(lines, line => line.StartsWith($"wfperf: {json} is not decompiled: 2 ", StringComparison.Ordinal));
        Assert.Empty(Out.ToString());
    }

    [Fact]
    public async Task Options_that_do_not_fit_the_file_and_missing_files_are_bad_input()
    {
        var json = Checkout.Fixture("definitions", "order.json");
        var two = await WriteAsync("two.bpmn", """
            <definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL">
              <process id="one" isExecutable="true"><startEvent id="a" /><endEvent id="b" /><sequenceFlow id="f" sourceRef="a" targetRef="b" /></process>
              <process id="other" isExecutable="true"><startEvent id="c" /><endEvent id="d" /><sequenceFlow id="g" sourceRef="c" targetRef="d" /></process>
            </definitions>
            """);
        await using var service = await ServeAsync(404, """{"detail":"There is no definition."}""");
        string[][] wrong =
        [
            [json, "--version", "2"], [json, "--process", "x"], [two], [two, "--process", "third"], [two, "--process", "one", "--version", "0"],
            [PathOf("none.bpmn")], ["order", "--process", "x"], [json, "--service", service.Urls.Single()],
        ];

        foreach (var arguments in wrong)
        {
            Assert.Equal(ExitCode.BadInput, await RunAsync(["definition", "decompile", .. arguments]));
        }

        Assert.All(["says its own version", "is no BPMN file", "Choose one with --process: one, other.", "has no such definition, but one, other",
            "versions begin with 1", "none.bpmn", "is asked of a service", "There is no definition."],
            part => Assert.Contains(part, Error.ToString(), StringComparison.Ordinal));
        Assert.Single(_asked);
        Assert.Equal(0, await RunAsync("definition", "decompile", two, "--process", "other"));
        Assert.Contains("class OtherWorkflow", Out.ToString(), StringComparison.Ordinal);
    }

    private readonly List<string> _asked = [];

    private static IEnumerable<string> Lines(StringWriter writer) =>
        writer.ToString().Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries);

    private async Task<string> WriteAsync(string name, string text)
    {
        await File.WriteAllTextAsync(PathOf(name), text, Cancel);
        return PathOf(name);
    }

    private async Task<WebApplication> ServeAsync(int status, string answer)
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        var app = builder.Build();
        app.Urls.Add("http://127.0.0.1:0");
        app.Run(async context =>
        {
            using var reader = new StreamReader(context.Request.Body);
            _asked.Add($"{context.Request.Method} {context.Request.Path}{context.Request.QueryString} {context.Request.ContentType} "
                + $"{await reader.ReadToEndAsync(Cancel)}");
            context.Response.StatusCode = status;
            await context.Response.WriteAsync(answer, Cancel);
        });
        await app.StartAsync(Cancel);
        return app;
    }
}
