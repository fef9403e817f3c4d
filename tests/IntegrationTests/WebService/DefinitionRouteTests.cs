namespace IntegrationTests.WebService;

[Trait("Category", "Integration")]
public sealed class DefinitionRouteTests(WebServiceFixture fixture) : IClassFixture<WebServiceFixture>
{
    [Fact]
    public async Task Definition_with_the_same_content_is_created_once()
    {
        var name = SampleDefinitions.NewName();

        using var first = await fixture.Http.PostAsync("/definitions", SampleDefinitions.Linear(name), Cancel);
        using var second = await fixture.Http
            .PostAsync("/definitions", SampleDefinitions.Linear(name).ReplaceLineEndings(" "), Cancel);

        Assert.Equal([HttpStatusCode.Created, HttpStatusCode.OK], [first.StatusCode, second.StatusCode]);
        Assert.Equal($"/definitions/{name}/versions/1", first.Headers.Location?.OriginalString);
        Assert.Equal(await first.Content.ReadAsStringAsync(Cancel), await second.Content.ReadAsStringAsync(Cancel));
    }

    [Fact]
    public async Task Answer_warns_of_calls_of_what_is_not_registered()
    {
        var (name, called) = (SampleDefinitions.NewName(), SampleDefinitions.NewName());
        var caller = $$"""
            { "name": "{{name}}", "version": 1, "start": "sub", "steps": {
              "sub": { "type": "call", "definition": "{{called}}", "next": "done" }, "done": { "type": "end" } } }
            """;

        var checkedFirst = await fixture.Client.ValidateDefinitionAsync(caller, Cancel);
        var before = await fixture.Client.RegisterDefinitionAsync(caller, Cancel);
        await fixture.Client.RegisterDefinitionAsync(SampleDefinitions.Linear(called), Cancel);
        var after = await fixture.Client.RegisterDefinitionAsync(caller, Cancel);

        Assert.True(checkedFirst.Valid);
        var warning = Assert.Single(before.Warnings!);
        Assert.Equal(warning, Assert.Single(checkedFirst.Warnings!));
        Assert.Contains("'sub'", warning.Message, StringComparison.Ordinal);
        Assert.Contains($"'{called}'", warning.Message, StringComparison.Ordinal);
        Assert.Contains("the instance then fails at this step", warning.Message, StringComparison.Ordinal);
        Assert.Null(after.Warnings);
    }

    [Fact]
    public async Task Newest_version_and_each_version_can_be_read_and_are_listed()
    {
        var name = await fixture.Client.RegisterNewAsync(n => SampleDefinitions.Linear(n));
        await fixture.Client.RegisterDefinitionAsync(SampleDefinitions.Linear(name, 2, "= price"), Cancel);

        Assert.Equal(2, Version(await fixture.Client.GetDefinitionAsync(name, cancellationToken: Cancel)));
        Assert.Equal(1, Version(await fixture.Client.GetDefinitionAsync(name, 1, Cancel)));
        Assert.Equal([1, 2],
            (await fixture.Client.ListDefinitionsAsync(Cancel)).Where(d => d.Name == name).Select(d => d.Version));
    }

    [Fact]
    public async Task Version_of_a_definition_is_served_as_code()
    {
        var name = await fixture.Client.RegisterNewAsync(n => SampleDefinitions.Linear(n));
        await fixture.Client.RegisterDefinitionAsync(SampleDefinitions.Linear(name, 2, "= price"), Cancel);

        using var newest = await CodeAsync($"{name}/code");
        using var first = await CodeAsync($"{name}/code?version=1");

        Assert.Equal(
            (HttpStatusCode.OK, "text/plain"), (newest.StatusCode, newest.Content.Headers.ContentType?.MediaType));
        Assert.Contains($"new WorkflowBuilder(\"{name}\", 2)", await newest.Content.ReadAsStringAsync(Cancel),
            StringComparison.Ordinal);
        Assert.Contains($"new WorkflowBuilder(\"{name}\", 1)", await first.Content.ReadAsStringAsync(Cancel),
            StringComparison.Ordinal);
        using var missing = await CodeAsync("nothing/code");
        await Answer.IsProblemAsync(missing, 404, "definition-not-found", "nothing");
        using var wrong = await CodeAsync($"{name}/code?form=csharp");
        await Answer.IsProblemAsync(wrong, 400, "query-invalid", "form");

        Task<HttpResponseMessage> CodeAsync(string path) =>
            fixture.Http.GetAsync(new Uri($"/definitions/{path}", UriKind.Relative), Cancel);
    }

    [Fact]
    public async Task Validation_registers_nothing()
    {
        var name = SampleDefinitions.NewName();

        var good = await fixture.Client.ValidateDefinitionAsync(SampleDefinitions.Linear(name), Cancel);
        var bad = await fixture.Client.ValidateDefinitionAsync(SampleDefinitions.Linear(name, 1, "= price *"), Cancel);

        Assert.True(good.Valid);
        Assert.False(bad.Valid);
        Assert.Contains(bad.Errors, e => e.Path.Contains("sum", StringComparison.Ordinal) && e.Column is not null);
        var missing = await Assert.ThrowsAsync<WorkflowApiException>(() =>
            fixture.Client.GetDefinitionAsync(name, cancellationToken: Cancel));
        Assert.Equal("definition-not-found", missing.Code);
        Assert.Contains(name, missing.Detail, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Version_conflict_names_the_next_version()
    {
        var name = await fixture.Client.RegisterNewAsync(n => SampleDefinitions.Linear(n));

        using var response =
            await fixture.Http.PostAsync("/definitions", SampleDefinitions.Linear(name, 1, "= price"), Cancel);

        await Answer.IsProblemAsync(response, 409, "definition-conflict", name, "register version 2");
    }

    [Theory]
    [InlineData("""{ "type": "frobnicate", "next": "done" }""", "frobnicate")]
    [InlineData("""{ "type": "set", "values": { "a": 1 }, "next": "nowhere" }""", "nowhere")]
    [InlineData("""{ "type": "end" }""", "done")]
    [InlineData("""{ "type": "set", "values": { "a": "= 1 +" }, "next": "done" }""", "steps.step.values.a")]
    [InlineData("""{ "type": "set", "values": { "a": "= frobnicate(1)" }, "next": "done" }""", "frobnicate")]
    [InlineData("""{ "type": "invoke", "activity": "frobnicate", "next": "done" }""", "frobnicate")]
    [InlineData("""{ "type": "delay", "duration": "-PT1S", "next": "done" }""", "-PT1S")]
    public async Task Faulty_step_is_refused_with_where_and_what(string step, string named)
    {
        using var response = await fixture.Http.PostAsync(
            "/definitions", SampleDefinitions.Step(SampleDefinitions.NewName(), step), Cancel);

        var problem = await Answer.IsProblemAsync(response, 400, "definition-invalid", named);
        Assert.All(problem.GetProperty("errors").EnumerateArray(),
            e => Assert.NotEmpty(e.GetProperty("message").GetString()!));
        Assert.Contains(problem.GetProperty("errors").EnumerateArray(),
            e => e.GetProperty("message").GetString()!.Contains(named, StringComparison.Ordinal)
                || e.GetProperty("path").GetString()!.Contains(named, StringComparison.Ordinal));
    }

    [Fact]
    public async Task Detail_counts_the_errors_and_does_not_repeat_them()
    {
        using var response = await fixture.Http.PostAsync(
            "/definitions",
            SampleDefinitions.Step(
                SampleDefinitions.NewName(), """{ "type": "set", "values": { "a": "= 1 +" }, "next": "nowhere" }"""),
            Cancel);

        var problem = await Answer.IsProblemAsync(response, 400, "definition-invalid", "steps.step.values.a");
        var errors = problem.GetProperty("errors").GetArrayLength();
        Assert.InRange(errors, 2, 10);
        Assert.Equal($"The definition has {errors} errors. 'errors' lists each with its place and the remedy.",
            problem.GetProperty("detail").GetString());
    }

    [Theory]
    [InlineData("0"), InlineData("one"), InlineData("99999999999")]
    public async Task Malformed_version_is_named(string version)
    {
        using var response =
            await fixture.Http.GetAsync(new Uri($"/definitions/x/versions/{version}", UriKind.Relative), Cancel);

        await Answer.IsProblemAsync(response, 400, "malformed-version", version);
    }

    [Fact]
    public async Task Unchanged_content_is_not_sent_again()
    {
        var name = await fixture.Client.RegisterNewAsync(n => SampleDefinitions.Linear(n));
        var (newest, first) = ($"/definitions/{name}", $"/definitions/{name}/versions/1");
        using var fresh = await GetAsync(newest, "not a tag");
        var tag = fresh.Headers.ETag!.ToString();
        Assert.Equal(HttpStatusCode.OK, fresh.StatusCode);
        Assert.False(fresh.Headers.ETag.IsWeak);

        Assert.Equal(304, await StatusAsync(newest, tag));
        Assert.Equal(304, await StatusAsync(first, $"\"other\", W/{tag}"));
        Assert.Equal(304, await StatusAsync(first, "*"));
        Assert.Equal(200, await StatusAsync(first, "\"other\""));

        await fixture.Client.RegisterDefinitionAsync(SampleDefinitions.Linear(name, 2, "= price"), Cancel);
        Assert.Equal(200, await StatusAsync(newest, tag));
        Assert.Equal(304, await StatusAsync(first, tag));
        Assert.Equal(404, await StatusAsync($"/definitions/{name}/versions/3", "*"));
    }

    [Fact]
    public async Task Pages_hold_every_definition_once()
    {
        var name = await fixture.Client.RegisterNewAsync(n => SampleDefinitions.Linear(n));
        foreach (var version in (int[])[2, 3, 4, 5])
        {
            await fixture.Client
                .RegisterDefinitionAsync(SampleDefinitions.Linear(name, version, $"= price + {version}"), Cancel);
        }

        Assert.Equal([1, 2, 3, 4, 5], await WalkAsync($"/definitions?name={name}&limit=2"));
        Assert.Equal([1, 2, 3, 4, 5], await WalkAsync("/definitions?limit=2"));

        async Task<IReadOnlyList<int>> WalkAsync(string first)
        {
            var versions = new List<int>();
            for (var (next, pages) = ((string?)first, 0); next is not null; pages++)
            {
                using var response = await fixture.Http.GetAsync(new Uri(next, UriKind.Relative), Cancel);
                next = Next(response.Headers.TryGetValues("Link", out var links) ? links.Single() : "");
                versions.AddRange(Versions(await response.Content.ReadAsStringAsync(Cancel), name));

                // Before all others: a page by number would show the last one of this page again.
                await fixture.Client.RegisterDefinitionAsync(
                    SampleDefinitions.Linear($"{pages:d4}-{SampleDefinitions.NewName()}"), Cancel);
            }

            return versions;
        }

        static string? Next(string link) =>
            link.Length == 0 ? null : link[1..link.IndexOf('>', StringComparison.Ordinal)];
    }

    [Theory]
    [InlineData("limit=0", "limit", "0")]
    [InlineData("after=greeting", "after", "greeting")]
    [InlineData("after=greeting/one", "after", "greeting/one")]
    [InlineData("before=greeting/1", "before", "name, after, limit")]
    public async Task Wrong_page_is_named(string query, string parameter, string named)
    {
        using var response = await fixture.Http.GetAsync(new Uri("/definitions?" + query, UriKind.Relative), Cancel);

        await Answer.IsProblemAsync(response, 400, "query-invalid", parameter, named);
    }

    private async Task<int> StatusAsync(string path, string known)
    {
        using var response = await GetAsync(path, known);
        Assert.True(response.StatusCode != HttpStatusCode.NotModified || response.Headers.ETag is not null);
        return (int)response.StatusCode;
    }

    private async Task<HttpResponseMessage> GetAsync(string path, string known)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, new Uri(path, UriKind.Relative));
        Assert.True(request.Headers.TryAddWithoutValidation("If-None-Match", known));
        return await fixture.Http.SendAsync(request, Cancel);
    }

    private static int[] Versions(string json, string name)
    {
        using var document = JsonDocument.Parse(json);
        return [.. document.RootElement.EnumerateArray().Where(d => d.GetProperty("name").GetString() == name)
            .Select(d => d.GetProperty("version").GetInt32())];
    }

    private static int Version(string json)
    {
        using var document = JsonDocument.Parse(json);
        return document.RootElement.GetProperty("version").GetInt32();
    }
}
