using System.Net;
using Workflow.Client;

namespace IntegrationTests.WebService;

[Trait("Category", "Integration")]
public sealed class DefinitionRouteTests(WebServiceFixture fixture) : IClassFixture<WebServiceFixture>
{
    [Fact]
    public async Task Definition_is_created_once_and_the_same_content_again_is_fine()
    {
        var name = SampleDefinitions.NewName();

        using var first = await fixture.Http.PostAsync("/definitions", SampleDefinitions.Linear(name), Cancel);
        using var second = await fixture.Http.PostAsync("/definitions", SampleDefinitions.Linear(name).ReplaceLineEndings(" "), Cancel);

        Assert.Equal([HttpStatusCode.Created, HttpStatusCode.OK], [first.StatusCode, second.StatusCode]);
        Assert.Equal($"/definitions/{name}/versions/1", first.Headers.Location?.OriginalString);
        Assert.Equal(await first.Content.ReadAsStringAsync(Cancel), await second.Content.ReadAsStringAsync(Cancel));
    }

    [Fact]
    public async Task Newest_version_and_each_version_can_be_read_and_are_listed()
    {
        var name = await fixture.Client.RegisterNewAsync(n => SampleDefinitions.Linear(n));
        await fixture.Client.RegisterDefinitionAsync(SampleDefinitions.Linear(name, 2, "= price"), Cancel);

        Assert.Equal(2, Version(await fixture.Client.GetDefinitionAsync(name, cancellationToken: Cancel)));
        Assert.Equal(1, Version(await fixture.Client.GetDefinitionAsync(name, 1, Cancel)));
        Assert.Equal([1, 2], (await fixture.Client.ListDefinitionsAsync(Cancel)).Where(d => d.Name == name).Select(d => d.Version));
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
    public async Task Same_version_with_other_content_is_a_conflict_that_names_the_next_version()
    {
        var name = await fixture.Client.RegisterNewAsync(n => SampleDefinitions.Linear(n));

        using var response = await fixture.Http.PostAsync("/definitions", SampleDefinitions.Linear(name, 1, "= price"), Cancel);

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
        Assert.All(problem.GetProperty("errors").EnumerateArray(), e => Assert.NotEmpty(e.GetProperty("message").GetString()!));
        Assert.Contains(problem.GetProperty("errors").EnumerateArray(),
            e => e.GetProperty("message").GetString()!.Contains(named, StringComparison.Ordinal)
                || e.GetProperty("path").GetString()!.Contains(named, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("0"), InlineData("one"), InlineData("99999999999")]
    public async Task Malformed_version_is_named(string version)
    {
        using var response = await fixture.Http.GetAsync(new Uri($"/definitions/x/versions/{version}", UriKind.Relative), Cancel);

        await Answer.IsProblemAsync(response, 400, "malformed-version", version);
    }

    private static int Version(string json)
    {
        using var document = JsonDocument.Parse(json);
        return document.RootElement.GetProperty("version").GetInt32();
    }
}
