using System.Net.Http.Headers;

namespace IntegrationTests.WebService;

[Trait("Category", "Integration")]
public sealed class BodyTests(WebServiceFixture fixture) : IClassFixture<WebServiceFixture>
{
    private const int LimitBytes = 1 << 20;

    public static TheoryData<string> Posts =>
        new("/definitions", "/definitions/validate", "/instances", "/signals", "/instances/01890a5d-ac96-774b-bcce-b302099a8057/signals");

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
    public async Task Body_over_the_limit_is_refused_with_size_and_limit_in_one_piece_and_in_chunks(string path)
    {
        var body = $$"""{"name":"{{new string('x', LimitBytes)}}"}""";

        using var whole = await fixture.Http.PostAsync(path, body, Cancel);
        using var request = new HttpRequestMessage(HttpMethod.Post, path) { Content = Answer.Json(body) };
        request.Headers.TransferEncodingChunked = true;
        using var chunked = await fixture.Http.SendAsync(request, Cancel);

        await Answer.IsProblemAsync(whole, 413, "body-too-large", $"{body.Length}", $"{LimitBytes}", "Limits:MaxBodyBytes");
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
    public async Task Byte_order_mark_is_no_error()
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
    [InlineData("""{"Definition":"d"}""", "'Definition' that is not known. Known: definition, version, input, correlationKey")]
    public async Task Body_that_is_no_start_is_refused_with_the_member(string body, string named)
    {
        using var response = await fixture.Http.PostAsync("/instances", body, Cancel);

        await Answer.IsProblemAsync(response, 400, "body-invalid", named);
    }

    [Theory]
    [InlineData("""{"definition":"d","input":{"n":1e400}}""", "n")]
    [InlineData("""{"definition":"d","input":{"n":1e40}}""", "decimal")]
    public async Task Number_out_of_range_is_refused(string body, string named)
    {
        using var response = await fixture.Http.PostAsync("/instances", body, Cancel);

        await Answer.IsProblemAsync(response, 400, "body-not-json", named);
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
}
