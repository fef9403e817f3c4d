using Workflow.Bpmn;
using Workflow.Contracts.Definitions;
using Workflow.Contracts.Tasks;

namespace IntegrationTests.WebService;

/// <summary>BPMN files over HTTP, up to the instances that run them.</summary>
[Trait("Category", "Integration")]
public sealed class BpmnRouteTests(WebServiceFixture fixture) : IClassFixture<WebServiceFixture>
{
    [Fact]
    public async Task File_is_posted_started_signalled_and_completed()
    {
        var definition = await fixture.Client.RegisterBpmnAsync(File("load-events"), Cancel);
        var key = SampleDefinitions.NewName();

        var started = await StartAsync(definition.Name, $$"""{ "requestId": "{{key}}" }""");
        var waiting = await fixture.Client.FindInstanceAsync(started, Cancel);
        await fixture.Client.SignalAsync(
            new SendSignal { Name = "answer", CorrelationKey = key,
                Payload = Json("""{ "approved": true, "ignored": 1 }""") }, cancellationToken: Cancel);

        Assert.Equal(InstanceState.Waiting, waiting!.State);
        var output = await OutputAsync(started);
        Assert.Equal($$"""{"approved":true,"prepared":true,"processed":true,"requestId":"{{key}}"}""", output);
    }

    [Theory]
    [InlineData("load-linear", """{ "price": 2.5 }""", """{"done":true,"price":2.5,"total":5.0}""")]
    [InlineData("load-parallel", "{}", """{"left":true,"middle":"m","right":1.5}""")]
    public async Task File_runs_as_it_is_drawn(string file, string input, string output)
    {
        var definition = await fixture.Client.RegisterBpmnAsync(File(file), Cancel);

        Assert.Equal(output, await OutputAsync(await StartAsync(definition.Name, input)));
    }

    [Theory]
    [InlineData("order-camunda8", 3, "pay")]
    [InlineData("order-camunda8", 200, "approve")]
    [InlineData("order-camunda7", 3, "pay")]
    [InlineData("order-camunda7", 200, "approve")]
    public async Task Both_Camundas_map_and_decide(string file, int quantity, string waitsAt)
    {
        var definition = await fixture.Client.RegisterBpmnAsync(File(file), Cancel);

        var id = await StartAsync(
            definition.Name, $$"""{ "quantity": {{quantity}}, "orderId": "o", "manager": "ann" }""");

        var instance = await fixture.Client.FindInstanceAsync(id, Cancel);
        Assert.Equal(waitsAt, Assert.Single(instance!.Waits).Step);
        Assert.Equal(quantity * 12.5, instance.Variables.GetProperty("total").GetDouble());
    }

    [Fact]
    public async Task Same_content_keeps_its_version_and_other_content_is_the_next()
    {
        var name = SampleDefinitions.NewName("bpmn");
        var first = File("load-linear").Replace("\"linear\"", $"\"{name}\"", StringComparison.Ordinal);
        var second = first.Replace("* 2", "* 3", StringComparison.Ordinal);

        var versions = new List<(int Version, HttpStatusCode Status, string? Location)>();
        foreach (var file in new[] { first, first, second, second, first })
        {
            using var response = await PostAsync("/definitions", file);
            using var answer = JsonDocument.Parse(await response.Content.ReadAsStringAsync(Cancel));
            Assert.Equal(
                name, Assert.Single(answer.RootElement.GetProperty("definitions").EnumerateArray()).GetProperty("name")
                    .GetString());
            versions.Add(
                (answer.RootElement.GetProperty("version").GetInt32(), response.StatusCode,
                    response.Headers.Location?.OriginalString));
        }

        var (created, known) = (HttpStatusCode.Created, HttpStatusCode.OK);
        string At(int version) => $"/definitions/{name}/versions/{version}";
        Assert.Equal(
            [(1, created, At(1)), (1, known, At(1)), (2, created, At(2)), (2, known, At(2)), (3, created, At(3))],
            versions);
    }

    [Fact]
    public async Task Changed_file_does_not_affect_running_instances()
    {
        var name = SampleDefinitions.NewName("bpmn");
        string File(string group) => $"""
            <definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:zeebe="http://camunda.org/schema/zeebe/1.0"><process id="{name}" isExecutable="true">
            <startEvent id="s" /><userTask id="x"><extensionElements><zeebe:assignmentDefinition candidateGroups="{name}-{group}" /></extensionElements>
            <multiInstanceLoopCharacteristics isSequential="true"><extensionElements>
            <zeebe:loopCharacteristics inputCollection="= lines" inputElement="line" outputCollection="all" outputElement="= result" /></extensionElements></multiInstanceLoopCharacteristics></userTask>
            <endEvent id="e" /><sequenceFlow id="f1" sourceRef="s" targetRef="x" /><sequenceFlow id="f2" sourceRef="x" targetRef="e" /></process></definitions>
            """;
        await fixture.Client.RegisterBpmnAsync(File("before"), Cancel);
        var first = await StartAsync(name, """{ "lines": [1, 2] }""");
        var changed = await fixture.Client.RegisterBpmnAsync(File("after"), Cancel);
        var second = await StartAsync(name, """{ "lines": [1] }""");

        Assert.Equal(2, changed.Version);
        await CompleteAsync($"{name}-before");
        await CompleteAsync($"{name}-before");
        await CompleteAsync($"{name}-after");
        Assert.Equal("""{"all":[null,null],"lines":[1,2]}""", await OutputAsync(first));
        Assert.Equal("""{"all":[null],"lines":[1]}""", await OutputAsync(second));
    }

    [Fact]
    public async Task Refused_import_lists_the_place_of_each_finding()
    {
        var name = SampleDefinitions.NewName("bpmn");
        var good = File("load-linear").Replace("\"linear\"", $"\"{name}\"", StringComparison.Ordinal);
        var bad = good.Replace(
            "<scriptTask id=\"work\"",
            "<complexGateway id=\"hard\" name=\"Hard\" />\n<scriptTask id=\"work\" isForCompensation=\"true\"",
            StringComparison.Ordinal);

        var valid = await fixture.Client.ValidateBpmnAsync(good, Cancel);
        var invalid = await fixture.Client.ValidateBpmnAsync(bad, Cancel);
        using var response = await PostAsync("/definitions", bad);

        Assert.True(valid.Valid);
        Assert.Equal([("hard", "Hard", 5, 5), ("work", "Do the work", 6, 1)],
            invalid.Errors.Select(error => (error.Element!, error.Name!, error.Line!.Value, error.Column!.Value)));
        var problem = await Answer.IsProblemAsync(
            response, 400, "definition-invalid", "complexGateway 'hard' (\"Hard\")", "The BPMN file has 2 errors.");
        Assert.Equal([5, 6],
            problem.GetProperty("errors").EnumerateArray().Select(error => error.GetProperty("line").GetInt32()));
        await Assert.ThrowsAsync<WorkflowApiException>(
            () => fixture.Client.GetDefinitionAsync(name, cancellationToken: Cancel));
    }

    [Fact]
    public async Task Activity_that_the_engine_does_not_know_is_named_at_its_place()
    {
        using var response = await PostAsync("/definitions",
            File("order-camunda8").Replace("type=\"echo\"", "type=\"charge\"", StringComparison.Ordinal));

        var problem = await Answer.IsProblemAsync(response, 400, "definition-invalid", "charge");
        var error = Assert.Single(problem.GetProperty("errors").EnumerateArray());
        Assert.Equal(("price", 10), (error.GetProperty("element").GetString(), error.GetProperty("line").GetInt32()));
    }

    [Fact]
    public async Task File_with_a_taken_start_message_is_refused()
    {
        var name = SampleDefinitions.NewName("bpmn");
        await fixture.Client.RegisterDefinitionAsync(
            $$"""{ "name": "{{name}}-json", "version": 1, "start": "done", "startOn": [{ "signal": "{{name}}" }], "steps": { "done": { "type": "end" } } }""", Cancel);
        var file = Two(name, "<messageEventDefinition messageRef=\"m\" />", $"<message id=\"m\" name=\"{name}\" />");

        var validation = await fixture.Client.ValidateBpmnAsync(file, Cancel);
        using var response = await PostAsync("/definitions", file);

        Assert.Equal((false, "s1", 3),
            (validation.Valid, Assert.Single(validation.Errors).Element!, validation.Errors[0].Line!.Value));
        await Answer.IsProblemAsync(
            response, 400, "definition-invalid", "startEvent 's1'", $"starts '{name}-json' version 1");
        await Assert.ThrowsAsync<WorkflowApiException>(
            () => fixture.Client.GetDefinitionAsync($"{name}-2", cancellationToken: Cancel));
    }

    [Fact]
    public async Task Call_of_an_unknown_process_is_a_warning_at_its_place()
    {
        var (name, other, gone) =
            (SampleDefinitions.NewName("bpmn"), SampleDefinitions.NewName("bpmn"), SampleDefinitions.NewName("bpmn"));
        var file = $"""
            <definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:zeebe="http://camunda.org/schema/zeebe/1.0">
              <process id="{name}" isExecutable="true">
                <startEvent id="a" /><callActivity id="near" name="Near">{Called(other)}</callActivity>
                <callActivity id="far" name="Far">{Called(gone)}</callActivity><endEvent id="z" />
                <sequenceFlow id="f1" sourceRef="a" targetRef="near" /><sequenceFlow id="f2" sourceRef="near" targetRef="far" />
                <sequenceFlow id="f3" sourceRef="far" targetRef="z" />
              </process>
              <process id="{other}" isExecutable="true">
                <startEvent id="b" /><callActivity id="back">{Called(name)}</callActivity><endEvent id="y" />
                <sequenceFlow id="g1" sourceRef="b" targetRef="back" /><sequenceFlow id="g2" sourceRef="back" targetRef="y" />
              </process>
            </definitions>
            """;

        var valid = await fixture.Client.ValidateBpmnAsync(file, Cancel);
        var registered = await fixture.Client.RegisterBpmnAsync(file, Cancel);

        Assert.True(valid.Valid);
        var warning = Assert.Single(registered.Warnings!);
        Assert.Equal(("far", "Far", 4), (warning.Element, warning.Name, warning.Line));
        Assert.Contains($"'{gone}'", warning.Message, StringComparison.Ordinal);
        Assert.Equal(warning, Assert.Single(valid.Warnings!));
        Assert.Equal([1, 0], registered.Definitions!.Select(definition => definition.Warnings?.Count ?? 0));

        static string Called(string process) => $"""
            <extensionElements>
              <zeebe:calledElement processId="{process}" propagateAllParentVariables="false" propagateAllChildVariables="false" />
              <zeebe:ioMapping><zeebe:input source="= 1" target="n" /></zeebe:ioMapping>
            </extensionElements>
            """.ReplaceLineEndings("");
    }

    [Fact]
    public async Task Conflicting_version_registers_nothing_of_the_file()
    {
        var name = SampleDefinitions.NewName("bpmn");
        var file = Two(name, "");
        var last = BpmnImporter.Import(Encoding.UTF8.GetBytes(file), cancellationToken: Cancel).Definitions[0]
            .WithVersion(int.MaxValue, new Dictionary<string, int>());
        await fixture.Client.RegisterDefinitionAsync(last, Cancel);

        using var response = await PostAsync(
            "/definitions", file.Replace("id=\"e1\"", "id=\"e1\" name=\"Other\"", StringComparison.Ordinal));
        var unchanged = Assert.IsType<WorkflowApiException>(
            await Record.ExceptionAsync(
                () => fixture.Client.GetDefinitionAsync($"{name}-2", cancellationToken: Cancel)));
        var same = await fixture.Client.RegisterBpmnAsync(file, Cancel);

        await Answer.IsProblemAsync(
            response, 409, "definition-conflict", $"{name}-1", "give the definition another name");
        Assert.Equal("definition-not-found", unchanged.Code);
        Assert.Equal([int.MaxValue, 1], same.Definitions!.Select(one => one.Version));
    }

    [Fact]
    public async Task Description_names_every_media_type()
    {
        using var document = JsonDocument.Parse(
            await fixture.Http.GetStringAsync(new Uri("/openapi/v1.json", UriKind.Relative), Cancel));

        Assert.All(["/definitions", "/definitions/validate"], path => Assert.Equal(
            ["application/json", "application/xml", "text/xml", "application/bpmn+xml"],
            document.RootElement.GetProperty("paths").GetProperty(path).GetProperty("post").GetProperty("requestBody")
                .GetProperty("content")
                .EnumerateObject().Select(type => type.Name)));
    }

    [Fact]
    public async Task Unknown_content_is_listed_on_request()
    {
        var name = SampleDefinitions.NewName("bpmn");
        var file = Foreign(name);

        var strict = await fixture.Client.ValidateBpmnAsync(file, Cancel);
        var valid = await fixture.Client.ValidateBpmnAsync(file, passOverUnknown: true, Cancel);
        var registered = await fixture.Client.RegisterBpmnAsync(file, passOverUnknown: true, Cancel);
        using var answer = await PostAsync("/definitions?unknown=report", file);

        Assert.Equal((false, null), (strict.Valid, strict.PassedOver));
        var expected = new PassedOver("userTask 'x' (\"Do it\")", "attribute", "color", "urn:vendor", 3, 40, "x");
        Assert.Equal(expected, Assert.Single(valid.PassedOver!));
        Assert.Equal(expected, Assert.Single(registered.PassedOver!));
        Assert.Equal(["y"], registered.Warnings!.Select(warning => warning.Element));
        Assert.Contains(
            "Nothing is done in this task", Assert.Single(valid.Warnings!).Message, StringComparison.Ordinal);
        using var document = JsonDocument.Parse(await answer.Content.ReadAsStringAsync(Cancel));
        Assert.Equal(
            "urn:vendor", document.RootElement.GetProperty("passedOver")[0].GetProperty("namespace").GetString());
    }

    [Theory]
    [InlineData("unknown=ignore", "application/xml", "one of refuse, report"),
        InlineData("unknown=report", "application/json", "only of BPMN")]
    [InlineData("unknwon=report", "application/xml", "Known: unknown")]
    public async Task Unknown_parameter_takes_two_words_and_only_of_bpmn(string query, string type, string message)
    {
        foreach (var path in new[] { "/definitions", "/definitions/validate" })
        {
            using var response = await fixture.Http
                .PostAsync($"{path}?{query}", new StringContent(Foreign("p"), Encoding.UTF8, type), Cancel);

            await Answer.IsProblemAsync(response, 400, "query-invalid", message);
        }
    }

    [Theory]
    [InlineData("windows-1252", "application/xml", true),
        InlineData("utf-8", "application/xml; charset=\"utf-8\"", true)]
    [InlineData("utf-16", "application/xml; charset=utf-16", true),
        InlineData("windows-1252", "application/xml; charset=utf-8", false)]
    public async Task Encoding_is_that_of_the_charset_or_the_declaration(string encoding, string type, bool valid)
    {
        var text = "<?xml version=\"1.0\" encoding=\"windows-1252\"?>"
            + Foreign("p").Replace("v:color=\"red\"", "", StringComparison.Ordinal)
            .Replace("Do it", "Prüfen", StringComparison.Ordinal);
        using var content = new ByteArrayContent(
            (CodePagesEncodingProvider.Instance.GetEncoding(encoding) ?? Encoding.GetEncoding(encoding))
                .GetBytes(text));
        content.Headers.TryAddWithoutValidation("Content-Type", type);

        using var response = await fixture.Http.PostAsync("/definitions/validate", content, Cancel);

        using var document = JsonDocument.Parse(await response.Content.ReadAsStringAsync(Cancel));
        Assert.Equal(valid, document.RootElement.GetProperty("valid").GetBoolean());
    }

    [Fact]
    public async Task Description_names_the_parameter_for_unknown_content()
    {
        using var document = JsonDocument.Parse(
            await fixture.Http.GetStringAsync(new Uri("/openapi/v1.json", UriKind.Relative), Cancel));

        Assert.All(["/definitions", "/definitions/validate"], path => Assert.Contains("unknown",
            document.RootElement.GetProperty("paths").GetProperty(path).GetProperty("post").GetProperty("parameters")
                .EnumerateArray()
                .Select(parameter => parameter.GetProperty("name").GetString())));
        Assert.Contains(
            "PassedOver", document.RootElement.GetProperty("components").GetProperty("schemas").EnumerateObject()
            .Select(schema => schema.Name));
    }

    /// <summary>A user task with an attribute of another product, and a task that does nothing.</summary>
    private static string Foreign(string name) => $"""
        <definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:v="urn:vendor">
        <process id="{name}" isExecutable="true"><startEvent id="s" /><task id="y" />
        <userTask id="x" name="Do it" v:color="red" /><endEvent id="e" />
        <sequenceFlow id="f" sourceRef="s" targetRef="y" /><sequenceFlow id="g" sourceRef="y" targetRef="x" />
        <sequenceFlow id="h" sourceRef="x" targetRef="e" /></process></definitions>
        """;

    /// <summary>Two processes; the first starts by this.</summary>
    private static string Two(string name, string trigger, string beside = "") => $"""
        <definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL">{beside}
        <process id="{name}-1" isExecutable="true">
        <startEvent id="s1">{trigger}</startEvent><endEvent id="e1" /><sequenceFlow id="f1" sourceRef="s1" targetRef="e1" /></process>
        <process id="{name}-2" isExecutable="true">
        <startEvent id="s2" /><endEvent id="e2" /><sequenceFlow id="f2" sourceRef="s2" targetRef="e2" /></process></definitions>
        """;

    private static string File(string name) => System.IO.File.ReadAllText(Checkout.Fixture("bpmn", $"{name}.bpmn"));

    private static JsonElement Json(string text)
    {
        using var document = JsonDocument.Parse(text);
        return document.RootElement.Clone();
    }

    private Task<HttpResponseMessage> PostAsync(string path, string xml) =>
        fixture.Http.PostAsync(path, new StringContent(xml, Encoding.UTF8, "application/xml"), Cancel);

    private async Task<Guid> StartAsync(string definition, string input) =>
        (await fixture.Client.StartAsync(
            new StartInstance { Definition = definition, Input = Json(input) }, cancellationToken: Cancel)).Id;

    private async Task CompleteAsync(string group)
    {
        var open = await Eventually.BecomesAsync(
            () => fixture.Client.ListTasksAsync(group: group, state: TaskState.Open, cancellationToken: Cancel),
            found => found.Items.Count > 0, _ => $"No task for {group}");
        await fixture.Client.CompleteTaskAsync(open.Items[0].Id, cancellationToken: Cancel);
    }

    private async Task<string> OutputAsync(Guid id)
    {
        InstanceView? view = null;
        await Eventually.BecomesAsync(async () => view = await fixture.Client.FindInstanceAsync(id, Cancel),
            found => found!.State == InstanceState.Completed, found => $"{found!.State}: {found.Error?.Message}");
        return view!.Output!.Value.GetRawText();
    }
}
