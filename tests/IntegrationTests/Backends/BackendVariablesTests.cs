namespace IntegrationTests.Backends;

[Trait("Category", "Integration")]
public sealed class BackendVariablesTests
{
    [Fact]
    public void Every_profile_is_used_by_default()
    {
        var variables = BackendVariables.FromEnvironment(_ => null);

        Assert.Equal(BackendCatalog.KnownProfiles, variables.Profiles);
        Assert.Equal(ProvisionMode.Auto, variables.Provision);
        Assert.Empty(variables.Require);
        Assert.Empty(variables.ConnectionStrings);
        Assert.Empty(variables.RequireServers);
        Assert.False(variables.RequireContainers);
    }

    [Theory]
    [InlineData("auto", ProvisionMode.Auto)]
    [InlineData("external", ProvisionMode.External)]
    [InlineData("Container", ProvisionMode.Container)]
    [InlineData(" native ", ProvisionMode.Native)]
    public void Provision_value_is_read_whatever_its_case(string value, ProvisionMode expected) =>
        Assert.Equal(expected, Read((BackendVariables.ProvisionName, value)).Provision);

    [Fact]
    public void Profiles_are_a_comma_list_without_repetition() =>
        Assert.Equal(
            ["postgres", "memory"], Read((BackendVariables.ProfilesName, "postgres, Memory,postgres,")).Profiles);

    [Fact]
    public void Unknown_values_are_reported_together_with_the_known_ones()
    {
        var failure = Assert.Throws<BackendException>(() => Read(
            (BackendVariables.ProfilesName, "memory,postgress"),
            (BackendVariables.RequireName, "orcale-aq"),
            (BackendVariables.ProvisionName, "docker")));

        AssertHolds(failure.Message, "WORKFLOW_PERF_PROFILES: 'postgress'", "WORKFLOW_PERF_REQUIRE: 'orcale-aq'");
        Assert.Contains(
            "memory, postgres, postgres-redis, oracle-aq, oracle-redis, mongo, mongo-redis", failure.Message,
            StringComparison.Ordinal);
        Assert.Contains(
            "WORKFLOW_PERF_PROVISION: 'docker' is unknown. Known: auto, external, container, native", failure.Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public void Requiring_a_profile_that_the_selection_leaves_out_is_refused()
    {
        var failure = Assert.Throws<BackendException>(
            () => Read((BackendVariables.ProfilesName, "memory"), (BackendVariables.RequireName, "postgres")));

        Assert.Contains(
            "WORKFLOW_PERF_REQUIRE names 'postgres', but WORKFLOW_PERF_PROFILES leaves it out", failure.Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public void Servers_beside_the_profiles_can_be_required()
    {
        var variables = Read(
            (BackendVariables.RequireName, "postgres, docker, rabbitmq,Redis"),
            ("WORKFLOW_PERF_REDIS", "127.0.0.1:6379"),
            ("WORKFLOW_PERF_RABBITMQ", " "));

        Assert.Equal(["postgres"], variables.Require);
        Assert.Equal([ServerKind.RabbitMq, ServerKind.Redis], variables.RequireServers);
        Assert.True(variables.RequireContainers);
        Assert.Equal(
            "127.0.0.1:6379", Assert.Single(variables.ConnectionStrings, pair => pair.Key == ServerKind.Redis).Value);
        Assert.Single(variables.ConnectionStrings);
    }

    private static BackendVariables Read(params (string Name, string Value)[] set) =>
        BackendVariables.FromEnvironment(
            name => set.Where(pair => pair.Name == name).Select(pair => pair.Value).FirstOrDefault());
}
