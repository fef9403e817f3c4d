using System.Xml.Linq;
using Workflow.Diagrams;

namespace IntegrationTests.WebService;

[Trait("Category", "Integration")]
public sealed class DiagramRouteTests(WebServiceFixture fixture) : IClassFixture<WebServiceFixture>
{
    [Theory]
    [InlineData("", "image/svg+xml", "<svg ")]
    [InlineData("?format=svg", "image/svg+xml", "<svg ")]
    [InlineData("?format=elk", "application/json", "\"children\"")]
    [InlineData("?format=msagl", "application/json", "\"node_stmt\"")]
    [InlineData("?format=mermaid&version=1", "text/plain", "flowchart TD")]
    [InlineData("?format=BPMN", "application/xml", "<bpmndi:BPMNShape ")]
    public async Task Definition_is_drawn_in_every_format(string query, string mediaType, string contained)
    {
        var name = await fixture.Client.RegisterNewAsync(n => SampleDefinitions.Waiting(n));

        using var response = await GetAsync(name, query);

        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Assert.Equal(mediaType, response.Content.Headers.ContentType?.MediaType);
        Assert.Equal("nosniff", response.Headers.GetValues("X-Content-Type-Options").Single());
        var text = await response.Content.ReadAsStringAsync(Cancel);
        Assert.Contains(contained, text, StringComparison.Ordinal);
        Assert.Contains("wait", text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Only_a_picture_with_state_is_drawn_again()
    {
        var name = await fixture.Client.RegisterNewAsync(n => SampleDefinitions.Waiting(n));
        using var fresh = await GetAsync(name, "");
        var tag = fresh.Headers.ETag!.ToString();

        Assert.Equal(HttpStatusCode.NotModified, await StatusAsync(""));
        Assert.Equal(HttpStatusCode.OK, await StatusAsync("?format=elk"));
        Assert.Equal(HttpStatusCode.OK, await StatusAsync("?counts=true"));

        async Task<HttpStatusCode> StatusAsync(string query)
        {
            using var request = new HttpRequestMessage(
                HttpMethod.Get, new Uri($"/definitions/{name}/diagram{query}", UriKind.Relative));
            Assert.True(request.Headers.TryAddWithoutValidation("If-None-Match", tag));
            using var response = await fixture.Http.SendAsync(request, Cancel);
            return response.StatusCode;
        }
    }

    [Fact]
    public async Task State_of_an_instance_is_drawn()
    {
        var name = await fixture.Client.RegisterNewAsync(n => SampleDefinitions.Waiting(n));
        var id = await StartAsync(name, "k-1");

        var waiting = await StatesAsync(name, $"?instance={id}");
        using var signalled = await fixture.Http.PostAsync($"/instances/{id}/signals", """{"name":"resume"}""", Cancel);
        var done = await StatesAsync(name, $"?instance={id}");

        Assert.Equal(["start done", "wait waiting", "tell none", "done none"], waiting);
        Assert.Equal(["start done", "wait done", "tell done", "done done"], done);
    }

    [Fact]
    public async Task Instances_of_the_newest_version_are_counted()
    {
        var name = await fixture.Client.RegisterNewAsync(n => SampleDefinitions.Waiting(n));
        foreach (var key in new[] { "a", "b", "c" })
        {
            await StartAsync(name, key);
        }

        await fixture.Client.RegisterDefinitionAsync(
            SampleDefinitions.Waiting(name).Replace("\"version\": 1", "\"version\": 2", StringComparison.Ordinal),
            Cancel);

        Assert.Contains("wait: waitSignal signal resume, 3 waiting", await TextAsync(name, "?counts=true&version=1"),
            StringComparison.Ordinal);
        Assert.Contains(
            "0 unfinished or failed instances", await TextAsync(name, "?counts=true"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Bpmn_file_is_drawn_as_its_author_drew_it()
    {
        var id = $"o-{Guid.NewGuid():N}";
        var file = (await File.ReadAllTextAsync(Checkout.Fixture("bpmn", "order-camunda8.bpmn"), Cancel))
            .Replace("order-8", id, StringComparison.Ordinal);
        using var content = new StringContent(file, Encoding.UTF8, "application/xml");
        using var registered = await fixture.Http.PostAsync(new Uri("/definitions", UriKind.Relative), content, Cancel);
        Assert.Equal(HttpStatusCode.Created, registered.StatusCode);

        var picture = XDocument.Parse(await TextAsync(id, "")).Root!;

        // From the left of the start event, which is 24 px from the border.
        var tasks = picture.Descendants("{http://www.w3.org/2000/svg}rect")
            .Where(rect => rect.Attribute("class")?.Value == "shape").Select(rect => rect.Attribute("x")!.Value);
        Assert.Equal(["112", "372", "532"], tasks);
        Assert.Contains("Approve the order", picture.Value, StringComparison.Ordinal);
        Assert.Equal(2, (await TextAsync(id, "?format=mermaid")).Split("Find the price").Length);
    }

    [Fact]
    public async Task Invalid_request_is_named_with_the_remedy()
    {
        var name = await fixture.Client.RegisterNewAsync(n => SampleDefinitions.Waiting(n));
        var other = await fixture.Client.RegisterNewAsync(n => SampleDefinitions.Waiting(n));
        var id = await StartAsync(other, "k-2");
        var missing = Guid.CreateVersion7();

        await IsProblemAsync(name, "?format=png", 400, "query-invalid", "png", "svg, elk, msagl, mermaid, bpmn");
        await IsProblemAsync(name, "?format=0", 400, "query-invalid", "'0'", "svg, elk");
        await IsProblemAsync(name, "?size=3", 400, "query-invalid", "size", "format, version, instance, counts");
        await IsProblemAsync(name, "?version=x", 400, "malformed-version", "x");
        await IsProblemAsync(name, "?version=7", 404, "definition-not-found", name);
        await IsProblemAsync("nobody", "", 404, "definition-not-found", "nobody");
        await IsProblemAsync(name, "?instance=7", 400, "malformed-id", "7");
        await IsProblemAsync(name, $"?instance={missing}", 404, "instance-not-found", missing.ToString());
        await IsProblemAsync(name, $"?instance={id}", 400, "query-invalid", id.ToString(), name, other);
        await IsProblemAsync(
            other, $"?instance={id}&version=2", 400, "query-invalid", "'2'", "1, which is the instance's");
        await IsProblemAsync(other, $"?instance={id}&counts=true", 400, "query-invalid", "counts");
        await IsProblemAsync(name, "?counts=yes", 400, "query-invalid", "yes", "true or false");
    }

    [Fact]
    public async Task Definition_with_too_many_edges_is_refused_with_other_formats()
    {
        var cases = string.Join(',', Enumerable.Repeat("""{"when":"= b","next":"e"}""", DiagramRenderer.MaxEdges));
        var name = await fixture.Client.RegisterNewAsync(n => $$"""
            {"name":"{{n}}","version":1,"start":"d","steps":{"d":{"type":"decide","cases":[{{cases}}],"otherwise":"e"},"e":{"type":"end"} } }
            """);

        await IsProblemAsync(name, "?format=bpmn", 422, "diagram-too-large",
            $"{DiagramRenderer.MaxEdges + 2} edges", $"at most {DiagramRenderer.MaxEdges} ", "format mermaid or elk");
        Assert.StartsWith("flowchart TD", await TextAsync(name, "?format=mermaid"), StringComparison.Ordinal);
    }

    private async Task<Guid> StartAsync(string definition, string key)
    {
        using var started = await fixture.Http.PostAsync(
            "/instances", $$$"""{"definition":"{{{definition}}}","correlationKey":"{{{key}}}","input":{"key":"{{{key}}}"}}""", Cancel);
        using var answer = JsonDocument.Parse(await started.Content.ReadAsStringAsync(Cancel));
        return answer.RootElement.GetProperty("id").GetGuid();
    }

    private Task<HttpResponseMessage> GetAsync(string name, string query) =>
        fixture.Http.GetAsync(new Uri($"/definitions/{name}/diagram{query}", UriKind.Relative), Cancel);

    private async Task<string> TextAsync(string name, string query)
    {
        using var response = await GetAsync(name, query);
        return await response.Content.ReadAsStringAsync(Cancel);
    }

    private async Task<IEnumerable<string>> StatesAsync(string name, string query) =>
        XDocument.Parse(await TextAsync(name, query))
        .Descendants("{http://www.w3.org/2000/svg}g")
        .Where(group => group.Attribute("class")?.Value.StartsWith("node ", StringComparison.Ordinal) == true)
        .Select(group => $"{group.Elements().First().Value.Split(':', ',')[0].ToLowerInvariant()} {group.Attribute("class")!.Value[5..]}").ToList();

    private async Task IsProblemAsync(string name, string query, int status, string code, params string[] named)
    {
        using var response = await GetAsync(name, query);
        await Answer.IsProblemAsync(response, status, code, named);
    }
}
