using System.Text.Json.Serialization;
using System.Text.RegularExpressions;
using Json.Schema;
using Workflow.Contracts;

namespace IntegrationTests.WebService;

/// <summary>What holds of every route, by the API's own description.</summary>
[Trait("Category", "Integration")]
public sealed partial class ApiDescriptionTests(WebServiceFixture fixture) : IClassFixture<WebServiceFixture>
{
    [Fact]
    public async Task Every_error_that_is_described_is_a_problem()
    {
        var routes = await RoutesAsync();

        Assert.InRange(routes.Count, 22, 200);
        Assert.All(routes, route => Assert.All(route.Errors, error =>
            Assert.True(error.Value.TryGetProperty("content", out var content)
                && content.EnumerateObject().Select(one => one.Name).SequenceEqual(["application/problem+json"]),
                $"{route.Method} {route.Path} describes {error.Name} as {error.Value.GetRawText()}")));
        Assert.All(routes.Where(
            route => route.Path.Contains('{', StringComparison.Ordinal) || route.Method == "post"), route =>
            Assert.True(route.Errors.Any(), $"{route.Method} {route.Path} describes no error."));
    }

    [Fact]
    public async Task Every_body_has_an_example_that_its_schema_allows()
    {
        var bodies = (await RoutesAsync()).SelectMany(route => route.Bodies).ToList();

        Assert.InRange(bodies.Count, 80, 1_000);
        Assert.All(bodies, body =>
        {
            Assert.True(body.Content.TryGetProperty("example", out var example), $"{body} has no example.");
            if (!body.IsJson)
            {
                Assert.False(string.IsNullOrWhiteSpace(example.GetString()), $"The example of {body} is empty.");
                return;
            }

            var result = body.Schema.Evaluate(example, new EvaluationOptions { OutputFormat = OutputFormat.List });
            Assert.True(result.IsValid, $"{body}: {example} is not valid: {JsonSerializer.Serialize(result)}");
        });
    }

    [Fact]
    public async Task Headline_of_a_route_is_its_first_clause()
    {
        var start = (await RoutesAsync()).Single(route => route is { Method: "post", Path: "/instances" }).Operation;

        Assert.Equal("Starts an instance", start.GetProperty("summary").GetString());
        Assert.StartsWith("Starts an instance; answers once", start.GetProperty("description").GetString(),
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task Member_that_an_answer_may_leave_out_is_not_required()
    {
        var schemas = (await RoutesAsync())[0].Document.GetProperty("components").GetProperty("schemas");

        var list = schemas.GetProperty(nameof(InstanceList)).GetProperty("required");
        var wait = schemas.GetProperty(nameof(InstanceWait)).GetProperty("required");

        Assert.Equal(["items"], list.EnumerateArray().Select(member => member.GetString()));
        Assert.Equal(["step", "kind"], wait.EnumerateArray().Select(member => member.GetString()));
    }

    [Fact]
    public async Task Every_example_of_a_contract_can_be_read_as_it()
    {
        var strict = new JsonSerializerOptions(ContractsJson.Default)
        {
            UnmappedMemberHandling = JsonUnmappedMemberHandling.Disallow,
        };
        var contracts = typeof(StartInstance).Assembly.GetTypes().ToLookup(type => type.Name);
        List<string> read = [];
        foreach (var body in (await RoutesAsync()).SelectMany(route => route.Bodies))
        {
            if (contracts[body.Contract].SingleOrDefault() is { } type)
            {
                var example = body.Content.GetProperty("example");
                var value = example.Deserialize(body.IsArray ? type.MakeArrayType() : type, strict);
                var written = JsonSerializer.SerializeToElement(value, strict);
                Assert.True(JsonElement.DeepEquals(example, written), $"{body}: {example} is read as {written}");
                read.Add(body.Contract);
            }
        }

        Assert.Superset(
            new HashSet<string>
            {
                nameof(StartInstance), nameof(SendSignal), nameof(SendInstanceSignal), "RetryInstance", "AssignTask",
                "CompleteTask", nameof(InstanceView), "TaskList", "DeadLetterList", "DefinitionInfo", "HistoryEntry",
            },
            new HashSet<string>(read));
    }

    [Fact]
    public async Task Service_accepts_the_example_of_every_request()
    {
        var requests = (await RoutesAsync()).SelectMany(route => route.Bodies).Where(body => body.IsRequest)
            .ToLookup(body => body.Path);
        foreach (var body in requests["/definitions/validate"].Concat(requests["/definitions"]))
        {
            using var definition = await SendAsync(body, Guid.Empty);
            Assert.True(definition.IsSuccessStatusCode, await definition.Content.ReadAsStringAsync(Cancel));
        }

        var first = await StartAsync();
        await AcceptedAsync("/signals", Guid.Empty);
        var tasks = await fixture.Client.ListTasksAsync(group: "warehouse", cancellationToken: Cancel);
        var task = tasks.Items.Single(one => one.InstanceId == first);
        await AcceptedAsync("/tasks/{id}/assign", task.Id);
        await AcceptedAsync("/tasks/{id}/complete", task.Id);
        Assert.Equal(InstanceState.Completed, (await fixture.Client.FindInstanceAsync(first, Cancel))!.State);
        var second = await StartAsync();
        await AcceptedAsync("/instances/{id}/signals", second);
        using var retried = await SendAsync(requests["/instances/{id}/retry"].Single(), second);
        await Answer.IsProblemAsync(retried, 409, "instance-state", "cannot be retried");

        async Task<Guid> StartAsync()
        {
            var started = await AcceptedAsync("/instances", Guid.Empty);
            return started.GetProperty("id").GetGuid();
        }

        async Task<JsonElement> AcceptedAsync(string path, Guid id)
        {
            using var response = await SendAsync(requests[path].Single(), id);
            var answer = await response.Content.ReadAsStringAsync(Cancel);
            Assert.True(response.IsSuccessStatusCode, $"{path}: {answer}");
            return JsonSerializer.Deserialize<JsonElement>(answer);
        }
    }

    [Fact]
    public async Task Example_of_an_error_is_a_problem_of_its_status()
    {
        var routes = await RoutesAsync();

        Assert.All(routes, route => Assert.All(route.Errors, error =>
        {
            var example = error.Value.GetProperty("content").GetProperty("application/problem+json")
                .GetProperty("example");
            Assert.Equal(error.Name, $"{example.GetProperty("status")}");
            Assert.StartsWith("urn:workflow:", example.GetProperty("type").GetString(), StringComparison.Ordinal);
        }));
    }

    [Fact]
    public async Task Every_command_takes_an_idempotency_key_and_checks_its_length()
    {
        var commands = (await RoutesAsync())
            .Where(route => route.Method == "post" && route.Path != "/definitions/validate").ToList();

        Assert.InRange(commands.Count, 11, 50);
        foreach (var route in commands)
        {
            Assert.Contains("Idempotency-Key", route.Parameters);
            using var request = new HttpRequestMessage(
                HttpMethod.Post, Filled(route.Path, Guid.NewGuid())) { Content = Answer.Json("{}") };
            request.Headers.Add("Idempotency-Key", new string('k', 257));
            using var response = await fixture.Http.SendAsync(request, Cancel);
            await Answer.IsProblemAsync(response, 400, "header-invalid", "Idempotency-Key", "257", "256");
        }
    }

    [Fact]
    public async Task Every_list_has_pages_with_cursors()
    {
        var name = await fixture.Client.RegisterNewAsync(SampleDefinitions.Waiting);
        List<InstanceStarted> started = [];
        for (var i = 0; i < 4; i++)
        {
            started.Add(
                await fixture.Client.StartAsync(new StartInstance { Definition = name }, cancellationToken: Cancel));
        }

        var lists = (await RoutesAsync()).Where(route => route.IsList).ToList();
        Assert.Superset(
            new HashSet<string> { "/instances", "/tasks", "/dead-letters", "/definitions", "/instances/{id}/history" },
            new HashSet<string>(lists.Select(route => route.Path)));
        foreach (var route in lists)
        {
            Assert.Superset(new HashSet<string> { "limit", "after" }, new HashSet<string>(route.Parameters));
            var path = Filled(route.Path, started[0].Id);
            foreach (var wrong in new[] { "limit=0", "limit=1001", "limit=x", "after=@", "nothing=1" })
            {
                using var refused = await fixture.Http.GetAsync($"{path}?{wrong}", Cancel);
                await Answer.IsProblemAsync(refused, 400, "query-invalid", wrong.Split('=')[0]);
            }

            var all = (await PageAsync($"{path}?limit=1000")).Items;
            List<string> walked = [];
            var next = $"{path}?limit=1";
            while (next is not null && walked.Count < 5)
            {
                (var items, next) = await PageAsync(next);
                Assert.InRange(items.Count, 0, 1);
                walked.AddRange(items);
            }

            Assert.Equal(all.Take(5), walked);
            Assert.Equal(all.Count > walked.Count, next is not null);
        }
    }

    /// <summary>
    /// The items of the page and the address of the next. Other tests may add to the end of a list meanwhile.
    /// </summary>
    private async Task<(List<string> Items, string? Next)> PageAsync(string address)
    {
        using var response = await fixture.Http.GetAsync(address, Cancel);
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        using var document = JsonDocument.Parse(await response.Content.ReadAsStringAsync(Cancel));
        var root = document.RootElement;
        if (root.ValueKind == JsonValueKind.Array)
        {
            var link = response.Headers.TryGetValues("Link", out var links) ? NextLink().Match(links.Single()) : null;
            Assert.True(link?.Success ?? true);
            return ([.. root.EnumerateArray().Select(item => item.GetRawText())], link?.Groups["address"].Value);
        }

        var next = root.TryGetProperty("next", out var cursor) && cursor.ValueKind == JsonValueKind.String
            ? cursor.GetString() : null;
        return ([.. root.GetProperty("items").EnumerateArray().Select(item => item.GetRawText())],
            next is null ? null : $"{address.Split('?')[0]}?limit=1&after={next}");
    }

    private async Task<HttpResponseMessage> SendAsync(Body body, Guid id)
    {
        var example = body.Content.GetProperty("example");
        using var content = new StringContent(
            body.IsJson ? example.GetRawText() : example.GetString()!, Encoding.UTF8, body.MediaType);
        return await fixture.Http.PostAsync(new Uri(Filled(body.Path, id), UriKind.Relative), content, Cancel);
    }

    private static string Filled(string path, Guid id) => path.Replace("{id}", id.ToString(), StringComparison.Ordinal);

    private async Task<List<Route>> RoutesAsync()
    {
        using var document = JsonDocument.Parse(
            await fixture.Http.GetStringAsync(new Uri("/openapi/v1.json", UriKind.Relative), Cancel));
        var root = document.RootElement.Clone();
        return
        [
            .. root.GetProperty(
                "paths").EnumerateObject().SelectMany(path => path.Value.EnumerateObject().Select(method =>
                new Route(method.Name, path.Name, method.Value, root))),
        ];
    }

    [GeneratedRegex("^<(?<address>/[^>]+)>; rel=\"next\"$")]
    private static partial Regex NextLink();

    private sealed record Route(string Method, string Path, JsonElement Operation, JsonElement Document)
    {
        public IEnumerable<string> Parameters => Operation.TryGetProperty("parameters", out var all)
            ? all.EnumerateArray().Select(one => one.GetProperty("name").GetString()!) : [];

        public IEnumerable<JsonProperty> Errors =>
            Operation.GetProperty("responses").EnumerateObject().Where(one => one.Name is ['4' or '5', ..]);

        /// <summary>What it reads and what it answers, each in every media type.</summary>
        public IEnumerable<Body> Bodies =>
        [
            .. Operation.TryGetProperty("requestBody", out var request) ? In(request, true) : [],
            .. Operation.GetProperty("responses").EnumerateObject().SelectMany(answer => In(answer.Value, false)),
        ];

        private IEnumerable<Body> In(JsonElement body, bool isRequest) =>
            body.TryGetProperty("content", out var content)
                ? content.EnumerateObject().Select(one => new Body(Path, isRequest, one.Name, one.Value, Document))
                : [];

        /// <summary>It answers an array, or an object with the array <c>items</c>.</summary>
        public bool IsList => Method == "get" && Operation.GetProperty("responses").TryGetProperty("200", out var ok)
            && ok.TryGetProperty("content", out var content) && content.TryGetProperty("application/json", out var json)
            && json.TryGetProperty("schema", out var schema)
            && (IsArray(Resolved(schema)) || (Resolved(schema).TryGetProperty("properties", out var members)
                && members.TryGetProperty("items", out var items) && IsArray(Resolved(items))));

        private static bool IsArray(
            JsonElement schema) => schema.TryGetProperty("type", out var type)
                && type.GetRawText().Contains("array", StringComparison.Ordinal);

        private JsonElement Resolved(JsonElement schema) => schema.TryGetProperty("$ref", out var reference)
            ? Document.GetProperty("components").GetProperty("schemas")
                .GetProperty(reference.GetString()!.Split('/')[^1]) : schema;
    }

    private sealed record Body(
        string Path, bool IsRequest, string MediaType, JsonElement Content, JsonElement Document)
    {
        private const string Schemas = "#/components/schemas/";

        public bool IsJson => MediaType.EndsWith("json", StringComparison.Ordinal);
        public bool IsArray => Content.GetProperty("schema").TryGetProperty("items", out _);

        /// <summary>The name of the contract, of which an array holds several; empty for none.</summary>
        public string Contract => Reference(IsArray
            ? Content.GetProperty("schema").GetProperty("items")
            : Content.GetProperty("schema"));

        public JsonSchema Schema => JsonSchema.FromText($$"""
            {
              "$schema": "https://json-schema.org/draft/2020-12/schema",
              "allOf": [{{Local(Content.GetProperty("schema"))}}],
              "$defs": {{Local(Document.GetProperty("components").GetProperty("schemas"))}}
            }
            """);

        public override string ToString() => $"{(IsRequest ? "the request to" : "an answer of")} {Path} as {MediaType}";

        private static string Reference(JsonElement schema) => schema.TryGetProperty("$ref", out var reference)
            ? reference.GetString()![Schemas.Length..]
            : "";

        private static string Local(JsonElement schema) =>
            schema.GetRawText().Replace(Schemas, "#/$defs/", StringComparison.Ordinal);
    }
}
