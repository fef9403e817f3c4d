using System.IO.Compression;
using System.Net.Http.Headers;

namespace IntegrationTests.WebService;

[Trait("Category", "Integration")]
public sealed class BodyTests(WebServiceFixture fixture) : IClassFixture<WebServiceFixture>
{
    private const int LimitBytes = 1 << 20;

    public static TheoryData<string> Posts =>
        new("/definitions", "/definitions/validate", "/instances", "/signals",
            "/instances/01890a5d-ac96-774b-bcce-b302099a8057/signals");

    [Theory]
    [MemberData(nameof(Posts))]
    public async Task Body_that_is_not_json_is_refused_with_its_position(string path)
    {
        using var broken = await fixture.Http.PostAsync(path, "{\n  oops }", Cancel);
        using var empty = await fixture.Http.PostAsync(path, "", Cancel);
        using var trailing = await fixture.Http.PostAsync(path, "{} {}", Cancel);

        await Answer.IsProblemAsync(broken, 400, "body-not-json", "line 2, position 3");
        await Answer.IsProblemAsync(empty, 400, "body-not-json", "empty");
        Assert.Equal(HttpStatusCode.BadRequest, trailing.StatusCode);
    }

    [Theory]
    [MemberData(nameof(Posts))]
    public async Task Text_that_is_not_unicode_is_refused(string path)
    {
        using var response = await fixture.Http.PostAsync(path, """{"\ud800":1}""", Cancel);
        using var bytes = new ByteArrayContent([.. "{\""u8, 0xFF, 0xFE, .. "\":1}"u8]);
        bytes.Headers.ContentType = new MediaTypeHeaderValue("application/json");
        using var invalid = await fixture.Http.PostAsync(path, bytes, Cancel);

        await Answer.IsProblemAsync(response, 400, "body-not-json");
        await Answer.IsProblemAsync(invalid, 400, "body-not-json");
    }

    [Theory]
    [MemberData(nameof(Posts))]
    public async Task Body_over_the_limit_is_refused_with_size_and_limit(string path)
    {
        var body = $$"""{"name":"{{new string('x', LimitBytes)}}"}""";

        using var whole = await fixture.Http.PostAsync(path, body, Cancel);
        using var request = new HttpRequestMessage(HttpMethod.Post, path) { Content = Answer.Json(body) };
        request.Headers.TransferEncodingChunked = true;
        using var chunked = await fixture.Http.SendAsync(request, Cancel);

        await Answer.IsProblemAsync(
            whole, 413, "body-too-large", $"{body.Length}", $"{LimitBytes}", "Limits:MaxBodyBytes");
        await Answer.IsProblemAsync(chunked, 413, "body-too-large", $"{body.Length}", $"{LimitBytes}");
    }

    [Fact]
    public async Task Body_of_exactly_the_limit_is_read()
    {
        const string Frame = """{"definition":"nobody","input":{"x":""}}""";
        var body = Frame.Replace("\"\"", $"\"{new string('x', LimitBytes - Frame.Length)}\"", StringComparison.Ordinal);

        using var response = await fixture.Http.PostAsync("/instances", body, Cancel);

        await Answer.IsProblemAsync(response, 404, "definition-not-found");
    }

    [Theory]
    [InlineData("text/plain")]
    [InlineData("application/xml")]
    [InlineData("application/x-www-form-urlencoded")]
    public async Task Other_content_types_are_refused_with_the_one_that_is_read(string contentType)
    {
        using var content = new StringContent("{}", Encoding.UTF8, contentType);
        using var response = await fixture.Http.PostAsync("/instances", content, Cancel);
        using var nothing = new ByteArrayContent([.. "{}"u8]);
        using var missing = await fixture.Http.PostAsync("/instances", nothing, Cancel);

        await Answer.IsProblemAsync(response, 415, "unsupported-media-type", contentType, "application/json");
        await Answer.IsProblemAsync(missing, 415, "unsupported-media-type", "missing", "application/json");
    }

    [Fact]
    public async Task Byte_order_mark_is_accepted()
    {
        using var content = new ByteArrayContent([0xEF, 0xBB, 0xBF, .. """{"definition":"nobody"}"""u8]);
        content.Headers.ContentType = new MediaTypeHeaderValue("application/json") { CharSet = "utf-8" };

        using var response = await fixture.Http.PostAsync("/instances", content, Cancel);

        await Answer.IsProblemAsync(response, 404, "definition-not-found");
    }

    [Theory]
    [InlineData("[]", "an array")]
    [InlineData("null", "null")]
    [InlineData("""{"definition":5}""", "'definition' is a number")]
    [InlineData("""{"definition":null}""", "'definition' is null")]
    [InlineData("{}", "no member 'definition'")]
    [InlineData("""{"definition":"d","version":"1"}""", "'version' is a string")]
    [InlineData("""{"definition":"d","version":1.5}""", "'version' is '1.5'")]
    [InlineData("""{"definition":"d","version":0}""", "'version' is '0'")]
    [InlineData("""{"definition":"d","input":[]}""", "'input' is an array")]
    [InlineData("""{"definition":"d","correlationKey":{}}""", "'correlationKey' is an object")]
    [InlineData(
        """{"Definition":"d"}""", "'Definition' that is not known. Known: definition, version, input, correlationKey")]
    public async Task Body_that_is_not_a_start_is_refused_with_the_member(string body, string named)
    {
        using var response = await fixture.Http.PostAsync("/instances", body, Cancel);

        await Answer.IsProblemAsync(response, 400, "body-invalid", named);
    }

    [Theory]
    [InlineData("/instances", """{"definition":"d","input":{"n":NUMBER}}""")]
    [InlineData("/signals", """{"name":"n","correlationKey":"k","payload":[NUMBER]}""")]
    [InlineData("/instances/01890a5d-ac96-774b-bcce-b302099a8057/signals", """{"name":"n","payload":NUMBER}""")]
    [InlineData("/instances/01890a5d-ac96-774b-bcce-b302099a8057/retry", """{"variables":{"a":{"n":NUMBER}}}""")]
    [InlineData("/tasks/01890a5d-ac96-774b-bcce-b302099a8057/complete", """{"output":NUMBER}""")]
    public async Task Number_that_cannot_be_kept_is_refused_by_name(string path, string body)
    {
        foreach (var number in new[] { "1e400", "1e40", "6.62607015e-34", "-0.12345678901234567890123456789" })
        {
            using var response =
                await fixture.Http.PostAsync(path, body.Replace("NUMBER", number, StringComparison.Ordinal), Cancel);

            await Answer.IsProblemAsync(
                response, 400, "body-not-json", $"The number {number} is outside the range of a decimal");
        }
    }

    [Theory]
    [InlineData("""{"definition":"d",}""", "a comma stands before a closing bracket")]
    [InlineData("{\"definition\":\"d\u0001\"}", "a text has a control character"),
        InlineData("""{"definition":""", "it ends ")]
    [InlineData("""{"definition":"d" """, "it ends before its last bracket is closed"),
        InlineData("""{"definition":"d" // no""", "'/' is invalid")]
    public async Task Body_that_is_not_json_is_explained_to_its_author(string body, string words)
    {
        foreach (var path in new[] { "/instances", "/definitions" })
        {
            using var response = await fixture.Http.PostAsync(path, body, Cancel);

            var problem = await Answer.IsProblemAsync(response, 400, "body-not-json", words);
            Assert.DoesNotContain("reader", problem.ToString(), StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task Body_that_nests_too_deeply_is_refused()
    {
        var body = $$$"""{"definition":"d","input":{"x":{{{new string('[', 500)}}}{{{new string(']', 500)}}}}}""";

        using var response = await fixture.Http.PostAsync("/instances", body, Cancel);

        await Answer.IsProblemAsync(response, 400, "body-not-json", "depth");
    }

    [Fact]
    public async Task Unknown_route_and_method_are_problems_too()
    {
        using var route = await fixture.Http.GetAsync(new Uri("/nowhere", UriKind.Relative), Cancel);
        using var method = await fixture.Http.DeleteAsync(new Uri("/instances", UriKind.Relative), Cancel);

        await Answer.IsProblemAsync(route, 404, "route-not-found", "/nowhere", "/openapi/v1.json");
        await Answer.IsProblemAsync(method, 405, "method-not-allowed", "DELETE", "/instances", "GET", "POST");
    }

    [Theory]
    [InlineData("gzip"), InlineData("br"), InlineData("deflate"), InlineData("GZIP"), InlineData("x-gzip"),
        InlineData("identity")]
    public async Task Encoded_body_is_decoded(string coding)
    {
        using var response =
            await PostAsync("/instances", coding, Encode(coding, """{"definition":"nobody"}"""u8.ToArray()));

        await Answer.IsProblemAsync(response, 404, "definition-not-found", "nobody");
    }

    [Theory]
    [InlineData("gzip"), InlineData("br"), InlineData("deflate")]
    public async Task Limit_of_a_body_holds_for_what_it_decodes_to(string coding)
    {
        foreach (var size in new[] { LimitBytes, 64 * LimitBytes })
        {
            var body = Encoding.UTF8.GetBytes($$"""{"definition":"{{new string('x', size)}}"}""");

            using var response = await PostAsync("/instances", coding, Encode(coding, body));

            await Answer.IsProblemAsync(
                response, 413, "body-too-large", $"the limit is {LimitBytes}", "Limits:MaxBodyBytes");
        }
    }

    [Theory]
    [InlineData("zstd"), InlineData("compress"), InlineData("gzip, br"), InlineData("gzip,gzip")]
    public async Task Coding_that_is_not_read_is_named(string coding)
    {
        using var response = await PostAsync("/definitions", coding, "{}"u8.ToArray());

        await Answer.IsProblemAsync(response, 415, "unsupported-media-type", $"'{coding}'", "gzip, br, deflate");
        Assert.Equal("gzip, br, deflate", response.Headers.GetValues("Accept-Encoding").Single());
    }

    [Theory]
    [InlineData("gzip"), InlineData("br"), InlineData("deflate")]
    public async Task Body_that_is_not_encoded_as_it_says_is_refused(string coding)
    {
        using var plain = await PostAsync("/signals", coding, """{"name":"n","correlationKey":"k"}"""u8.ToArray());
        using var cut = await PostAsync(
            "/signals", coding, Encode(coding, """{"name":"n","correlationKey":"k"}"""u8.ToArray())[..^12]);

        await Answer.IsProblemAsync(plain, 400, "request-invalid", "Content-Encoding");
        Assert.Equal(HttpStatusCode.BadRequest, cut.StatusCode);
    }

    [Theory]
    [InlineData("application/xml", null), InlineData("text/xml", null), InlineData("application/bpmn+xml", null)]
    [InlineData("Text/XML; charset=utf-8", null), InlineData("text/xml", "gzip"),
        InlineData("application/bpmn+xml", "br")]
    public async Task Bpmn_is_taken_by_each_of_its_media_types(string mediaType, string? coding)
    {
        var name = SampleDefinitions.NewName();
        var file = Encoding.UTF8.GetBytes($"""
            <definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"><process id="{name}" isExecutable="true">
            <startEvent id="s" /><endEvent id="e" /><sequenceFlow id="f" sourceRef="s" targetRef="e" /></process></definitions>
            """);

        foreach (var (path, status) in new[]
            { ("/definitions/validate", HttpStatusCode.OK), ("/definitions", HttpStatusCode.Created) })
        {
            using var response = await PostAsync(path, coding, coding is null ? file : Encode(coding, file), mediaType);

            Assert.Equal(status, response.StatusCode);
        }
    }

    [Fact]
    public async Task Media_type_that_is_not_read_is_answered_with_those_that_are()
    {
        using var definition = await PostAsync("/definitions", null, "<a/>"u8.ToArray(), "text/html");
        using var start = await PostAsync("/instances", null, "<a/>"u8.ToArray(), "text/xml");

        await Answer.IsProblemAsync(
            definition, 415, "unsupported-media-type", "'text/html'", "application/json", "text/xml");
        var problem =
            await Answer.IsProblemAsync(start, 415, "unsupported-media-type", "'text/xml'", "application/json");
        Assert.DoesNotContain("BPMN", problem.GetProperty("detail").GetString(), StringComparison.Ordinal);
    }

    private async Task<HttpResponseMessage> PostAsync(
        string path, string? coding, byte[] body, string mediaType = "application/json")
    {
        using var content = new ByteArrayContent(body);
        content.Headers.TryAddWithoutValidation("Content-Type", mediaType);
        if (coding is not null)
        {
            content.Headers.TryAddWithoutValidation("Content-Encoding", coding);
        }

        return await fixture.Http.PostAsync(path, content, Cancel);
    }

    private static byte[] Encode(string coding, byte[] body)
    {
        using var encoded = new MemoryStream();
        using (Stream encoder = coding.ToUpperInvariant() switch
        {
            "GZIP" or "X-GZIP" => new GZipStream(encoded, CompressionLevel.Optimal),
            "BR" => new BrotliStream(encoded, CompressionLevel.Fastest),
            "DEFLATE" => new ZLibStream(encoded, CompressionLevel.Optimal),
            _ => new BufferedStream(encoded),
        })
        {
            encoder.Write(body);
        }

        return encoded.ToArray();
    }
}
